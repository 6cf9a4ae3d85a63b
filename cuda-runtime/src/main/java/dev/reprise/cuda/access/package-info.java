/**
 * Finds uses of memory that nothing orders, by vector clocks of the streams: each operation knows
 * how many operations of every other stream precede it, and each region of memory remembers the
 * uses that a later one could still run beside.
 *
 * <p>No driver call, and nothing that waits: all state is guarded by one lock, {@link
 * dev.reprise.cuda.access.Ordering#LOCK}.
 */
@NullMarked
package dev.reprise.cuda.access;

import org.jspecify.annotations.NullMarked;
