/** Ordered queues of asynchronous work, each run by a thread of its own. */
@NullMarked
package dev.reprise.softgpu.driver.queue;

import org.jspecify.annotations.NullMarked;
