/**
 * Every kernel against its plain reference, on whatever device there is: cases with seeded inputs,
 * and what the comparison of a case gave.
 */
@NullMarked
package dev.reprise.kernels.check;

import org.jspecify.annotations.NullMarked;
