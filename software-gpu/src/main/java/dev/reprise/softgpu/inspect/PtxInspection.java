package dev.reprise.softgpu.inspect;

import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.ModuleCheck;
import dev.reprise.softgpu.inspect.PtxKernel.Parameter;
import dev.reprise.softgpu.inspect.PtxKernel.Resources;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxModule;
import dev.reprise.softgpu.ptx.PtxParser;
import dev.reprise.softgpu.ptx.Statement;
import dev.reprise.softgpu.ptx.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a PTX text uses, and all that keeps the software GPU from loading it.
 *
 * @param version as written, such as {@code 8.0}; empty where the text does not parse
 * @param target such as {@code sm_75}; empty where the text does not parse
 * @param kernels in the order of the text
 * @param functions device functions that have a body, in the order of the text
 * @param instructions how often each opcode with its modifiers is written, in all bodies
 * @param problems empty if all of it can be decoded
 */
public record PtxInspection(
    String version,
    String target,
    List<PtxKernel> kernels,
    List<String> functions,
    SortedMap<String, Integer> instructions,
    List<PtxProblem> problems) {

  private static final long ROOM = 4L << 30;

  /** Inspects a text; what is wrong with it is in {@link #problems}. */
  public static PtxInspection of(String ptx) {
    PtxModule module;
    try {
      module = PtxParser.parse(ptx);
    } catch (PtxException e) {
      return new PtxInspection(
          "", "", List.of(), List.of(), new TreeMap<>(), List.of(problem(e, true)));
    }
    List<PtxProblem> problems = new ArrayList<>();
    Map<String, KernelCode> decoded = Map.of();
    try (AddressSpace memory = new AddressSpace(ROOM)) {
      ModuleCheck.Result result = ModuleCheck.of(module, memory);
      decoded = result.kernels();
      result.problems().forEach(e -> problems.add(problem(e, false)));
    } catch (OutOfDeviceMemoryException e) {
      problems.add(
          new PtxProblem(PtxProblem.Kind.UNSUPPORTED, 0, 0, "its variables: " + e.getMessage()));
    }
    return describe(module, decoded, problems);
  }

  /** The same with one more problem. */
  public PtxInspection with(PtxProblem problem) {
    List<PtxProblem> all = new ArrayList<>(problems);
    all.add(problem);
    return new PtxInspection(version, target, kernels, functions, instructions, List.copyOf(all));
  }

  /** Whether nothing was found that keeps it from being loaded. */
  public boolean loads() {
    return problems.isEmpty();
  }

  private static PtxInspection describe(
      PtxModule module, Map<String, KernelCode> decoded, List<PtxProblem> problems) {
    List<PtxKernel> kernels = new ArrayList<>();
    List<String> functions = new ArrayList<>();
    SortedMap<String, Integer> instructions = new TreeMap<>();
    for (Function f : module.functions()) {
      List<Statement> body = f.body();
      if (body == null) {
        continue;
      }
      int count = count(body, instructions);
      if (f.entry()) {
        kernels.add(
            new PtxKernel(
                f.name(),
                f.line(),
                f.parameters().stream().map(PtxInspection::parameter).toList(),
                count,
                resources(decoded.get(f.name()))));
      } else {
        functions.add(f.name());
      }
    }
    return new PtxInspection(
        module.version() / 10 + "." + module.version() % 10,
        module.target(),
        List.copyOf(kernels),
        List.copyOf(functions),
        instructions,
        List.copyOf(problems));
  }

  private static int count(List<Statement> body, SortedMap<String, Integer> instructions) {
    int count = 0;
    for (Statement s : body) {
      if (s instanceof Statement.Instruction i) {
        instructions.merge(i.form(), 1, Integer::sum);
        count++;
      } else if (s instanceof Statement.Scope inner) {
        count += count(inner.statements(), instructions);
      }
    }
    return count;
  }

  private static Parameter parameter(Variable v) {
    String type = v.vector() == 1 ? v.type().text() : "v" + v.vector() + "." + v.type().text();
    return new Parameter(
        v.name(), v.elements() == 1 ? type : type + "[" + v.elements() + "]", (int) v.bytes());
  }

  private static Resources resources(@Nullable KernelCode code) {
    return code == null
        ? new Resources(0, 0, 0, 0)
        : new Resources(
            code.staticSharedBytes(),
            code.localBytes(),
            code.registers(),
            code.maxThreadsPerBlock());
  }

  private static PtxProblem problem(PtxException e, boolean parsing) {
    String message = String.valueOf(e.getMessage());
    PtxProblem.Kind kind =
        parsing
            ? PtxProblem.Kind.SYNTAX
            : message.contains("unsupported") || message.contains("not supported")
                ? PtxProblem.Kind.UNSUPPORTED
                : PtxProblem.Kind.INVALID;
    return new PtxProblem(kind, e.line(), e.column(), message);
  }
}
