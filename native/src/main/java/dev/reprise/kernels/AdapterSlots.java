package dev.reprise.kernels;

/**
 * Low-rank adapters for one weight matrix, in slots at fixed addresses. What a slot holds is data:
 * an adapter is switched by writing its slot between steps, or by giving a row another slot.
 *
 * @param type type of A and B
 * @param a {@code [slots][maxRank][in]}
 * @param b {@code [slots][maxRank][out]}: the outputs of one rank side by side
 * @param ranks int32 {@code [slots]}: how much of {@code maxRank} each adapter uses
 * @param scales f32 {@code [slots]}: alpha / rank
 * @param slots how many adapters there is room for
 * @param maxRank the largest rank
 */
public record AdapterSlots(
    WeightType type, Span a, Span b, Span ranks, Span scales, int slots, int maxRank) {}
