/**
 * What {@code reprise tune} does: a workload and costs in, a set of buckets and its evidence out.
 */
@NullMarked
package dev.reprise.cli.tune;

import org.jspecify.annotations.NullMarked;
