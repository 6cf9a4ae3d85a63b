package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.decode.ModuleDecoder;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxModule;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Decodes a module as {@link LoadedModule#load} does, but goes on behind what it refuses, so that
 * all of it is found at once: an instruction that is refused is left out and the rest decoded.
 */
public final class ModuleCheck {
  private static final int MOST_PROBLEMS = 100;

  private final PtxModule module;
  private final Map<String, Allocation> globals;
  private final Map<String, KernelCode> kernels = new LinkedHashMap<>();
  private final Map<String, PtxException> problems = new LinkedHashMap<>();

  private ModuleCheck(PtxModule module, Map<String, Allocation> globals) {
    this.module = module;
    this.globals = globals;
  }

  /**
   * What was found.
   *
   * @param kernels the kernels that could be decoded, by name; not to be run, since instructions
   *     may have been left out
   * @param problems what keeps the module from being loaded, up to a hundred, in the order of the
   *     kernels
   */
  public record Result(Map<String, KernelCode> kernels, List<PtxException> problems) {}

  /**
   * Checks a module.
   *
   * @param memory where its variables are placed for the time of the check
   */
  public static Result of(PtxModule module, AddressSpace memory) {
    Map<String, Allocation> globals;
    try {
      globals = ModuleVariables.allocate(module, memory, CodeAddresses.of(module));
    } catch (PtxException e) {
      return new Result(Map.of(), List.of(e));
    }
    try {
      ModuleCheck check = new ModuleCheck(module, globals);
      module.functions().stream().filter(Function::entry).forEach(check::kernel);
      return new Result(check.kernels, List.copyOf(check.problems.values()));
    } finally {
      ModuleVariables.free(globals, memory);
    }
  }

  private void kernel(Function kernel) {
    if (kernel.body() == null) {
      return;
    }
    List<Function> functions = new ArrayList<>(module.functions());
    functions.removeIf(f -> f.entry() && f != kernel);
    while (problems.size() < MOST_PROBLEMS) {
      PtxModule part =
          new PtxModule(
              module.version(), module.target(), module.variables(), functions, module.files());
      try {
        kernels.put(
            kernel.name(),
            new KernelCode(
                new ModuleDecoder(part, globals, CodeAddresses.of(module)).kernels().getFirst()));
        return;
      } catch (PtxException e) {
        problems.putIfAbsent(String.valueOf(e.getMessage()), e);
        List<Function> rest =
            functions.stream().map(f -> without(f, e.line(), e.column())).toList();
        if (rest.equals(functions)) {
          return;
        }
        functions = rest;
      }
    }
  }

  private static Function without(Function f, int line, int column) {
    List<Statement> body = f.body();
    if (body == null) {
      return f;
    }
    List<Statement> rest = without(body, line, column);
    return Objects.equals(rest, body)
        ? f
        : new Function(
            f.line(),
            f.entry(),
            f.linkage(),
            f.name(),
            f.results(),
            f.parameters(),
            f.directives(),
            rest);
  }

  private static List<Statement> without(List<Statement> body, int line, int column) {
    List<Statement> rest = new ArrayList<>();
    for (Statement s : body) {
      switch (s) {
        case Statement.Instruction i when i.line() == line && i.column() == column -> {}
        case Statement.Scope inner ->
            rest.add(new Statement.Scope(inner.line(), without(inner.statements(), line, column)));
        default -> rest.add(s);
      }
    }
    return rest;
  }
}
