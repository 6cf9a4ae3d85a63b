/**
 * Contracts of the kernels as data: what each parameter must be, what padding means, in which order
 * sums are taken, and what a launch looks like.
 */
@NullMarked
package dev.reprise.kernels.contract;

import org.jspecify.annotations.NullMarked;
