/**
 * The decode host: takes requests from any thread and streams their tokens back, while one thread
 * of its own runs the device.
 */
@NullMarked
package dev.reprise.graph.host;

import org.jspecify.annotations.NullMarked;
