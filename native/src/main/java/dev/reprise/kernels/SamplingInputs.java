package dev.reprise.kernels;

/**
 * Sampling parameters of the logits rows, as data on the device, so that they may change between
 * replays.
 *
 * @param temperature f32 {@code [logitsRows]}; greedy when not above 0
 * @param topK int32 {@code [logitsRows]}; off when not above 0
 * @param topP f32 {@code [logitsRows]}; off when not below 1
 * @param minP f32 {@code [logitsRows]}; off when not above 0
 * @param seeds uint64 {@code [logitsRows]}
 */
public record SamplingInputs(Span temperature, Span topK, Span topP, Span minP, Span seeds) {}
