package dev.reprise.kernels;

/**
 * Block tables: which KV blocks hold a sequence.
 *
 * @param entries int32 {@code [tables][maxBlocks]}; unused entries are 0, the null block
 * @param tables number of tables; {@code sequences[row]} picks one
 * @param maxBlocks entries of one table
 */
public record BlockTables(Span entries, int tables, int maxBlocks) {}
