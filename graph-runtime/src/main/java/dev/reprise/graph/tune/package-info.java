/**
 * Choosing buckets from a workload: what shapes its steps had, what a step of each shape costs, and
 * the set of buckets with the least total time for a limit on graphs and bytes.
 */
@NullMarked
package dev.reprise.graph.tune;

import org.jspecify.annotations.NullMarked;
