package dev.reprise.kernels.contract;

import java.util.function.ToLongFunction;

/**
 * A symbol computed from others, such as the width of q, k and v together.
 *
 * @param name how shapes refer to it
 * @param formula the formula in words
 * @param value the formula
 */
public record Derived(String name, String formula, ToLongFunction<Bindings> value) {}
