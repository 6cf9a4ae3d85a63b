package dev.reprise.softgpu.ptx;

import java.util.List;
import java.util.Map;

/**
 * A parsed PTX text.
 *
 * @param version ten times the {@code .version}, 90 for 9.0
 * @param target first name of {@code .target}, such as {@code sm_75}
 * @param files names of source files by the numbers that {@code .loc} uses
 */
public record PtxModule(
    int version,
    String target,
    List<Variable> variables,
    List<Function> functions,
    Map<Integer, String> files) {}
