package dev.reprise.softgpu.ptx;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code .entry} or {@code .func}.
 *
 * @param directives performance directives, such as {@code maxntid}, with their numbers
 * @param body null for a declaration
 */
public record Function(
    int line,
    boolean entry,
    String linkage,
    String name,
    List<Variable> results,
    List<Variable> parameters,
    Map<String, List<Long>> directives,
    @Nullable List<Statement> body) {}
