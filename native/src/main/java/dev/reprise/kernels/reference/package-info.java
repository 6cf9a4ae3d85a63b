/**
 * What each kernel computes, written plainly in double precision and without regard to speed. An
 * optimised kernel is compared with these in tests and by audits.
 */
@NullMarked
package dev.reprise.kernels.reference;

import org.jspecify.annotations.NullMarked;
