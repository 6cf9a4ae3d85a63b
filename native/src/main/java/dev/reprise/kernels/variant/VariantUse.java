package dev.reprise.kernels.variant;

/**
 * Launches prepared so far of kernels that have variants.
 *
 * @param chosen with a variant from the table
 * @param standard with the standard variant, because the table has none for their shape
 */
public record VariantUse(long chosen, long standard) {}
