package dev.reprise.kernels.variant;

/**
 * Launches prepared so far of kernels that have variants; not of attention, whose splits are a part
 * of the bucket.
 *
 * @param chosen with a variant from the table
 * @param standard with the standard variant, because the table has none for their shape
 */
public record VariantUse(long chosen, long standard) {}
