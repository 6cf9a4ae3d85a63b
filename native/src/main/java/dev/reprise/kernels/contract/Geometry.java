package dev.reprise.kernels.contract;

import dev.reprise.cuda.LaunchConfig;
import java.util.function.Function;

/**
 * Grid and block of a launch.
 *
 * @param text the rule in words
 * @param config the rule
 */
public record Geometry(String text, Function<Bindings, LaunchConfig> config) {}
