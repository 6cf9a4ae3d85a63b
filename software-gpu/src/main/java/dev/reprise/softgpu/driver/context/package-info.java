/** Contexts, streams, events, captures, modules, and what a thread has current. */
@NullMarked
package dev.reprise.softgpu.driver.context;

import org.jspecify.annotations.NullMarked;
