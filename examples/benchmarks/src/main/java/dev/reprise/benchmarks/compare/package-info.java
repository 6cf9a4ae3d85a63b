/** Compares ways to call a driver, in processes that take turns, and writes a table of each. */
@NullMarked
package dev.reprise.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
