package dev.reprise.kernels.contract;

import java.util.function.Predicate;

/**
 * A condition between several symbols of a contract.
 *
 * @param text the condition in words, for the error message
 * @param holds the test
 */
public record Requirement(String text, Predicate<Bindings> holds) {}
