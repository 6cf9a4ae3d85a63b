package dev.reprise.llama.adapter;

/**
 * What a file adds to one matrix of the model: {@code scale · B · A}.
 *
 * @param rank columns of B and rows of A
 * @param in columns of A
 * @param out rows of B
 * @param scale the factor
 * @param a {@code [rank][in]}
 * @param b {@code [out][rank]}
 */
@SuppressWarnings("ArrayRecordComponent")
record LowRankPair(int rank, int in, int out, float scale, float[] a, float[] b) {}
