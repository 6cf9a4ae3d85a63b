package dev.reprise.kernels;

/**
 * Penalties of the logits rows, as data on the device, so that they may change between replays.
 *
 * @param repetition f32 {@code [logitsRows]}; off at 1
 * @param presence f32 {@code [logitsRows]}; off at 0
 * @param frequency f32 {@code [logitsRows]}; off at 0
 */
public record PenaltyInputs(Span repetition, Span presence, Span frequency) {}
