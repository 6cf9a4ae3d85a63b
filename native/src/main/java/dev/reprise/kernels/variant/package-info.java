/**
 * Kernel variants: ways to run one kernel on one shape that differ in speed alone, never in a bit
 * of the result, and the table that says which one runs where.
 */
@NullMarked
package dev.reprise.kernels.variant;

import org.jspecify.annotations.NullMarked;
