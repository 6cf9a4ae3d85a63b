package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.Program;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxModule;
import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Statement;
import dev.reprise.softgpu.ptx.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decodes the kernels of a module whose variables have been placed. */
public final class ModuleDecoder {
  /**
   * A decoded kernel.
   *
   * @param registers estimate of the 32-bit registers of a thread
   * @param maxThreads limit from {@code .maxntid} or {@code .reqntid}, else 1024
   * @param directives performance directives with their numbers
   */
  public record DecodedKernel(
      Program program,
      int[] parameterOffsets,
      int[] parameterSizes,
      int registers,
      int maxThreads,
      Map<String, List<Long>> directives) {}

  private final PtxModule module;
  private final Scope names = new Scope(null, false);
  private final Map<String, Variable> shared = new HashMap<>();

  /** As devices since Volta have it. */
  private static final int MOST_PARAMETER_BYTES = 32764;

  private final CallGraph graph;
  private final Map<String, Long> addresses;

  /**
   * @param globals memory of each global and constant variable
   * @param addresses of functions, by name
   */
  public ModuleDecoder(
      PtxModule module, Map<String, Allocation> globals, Map<String, Long> addresses) {
    this.module = module;
    this.addresses = addresses;
    graph = new CallGraph(module);
    addresses.forEach((name, address) -> names.put(name, new CodeAddress(address)));
    for (Variable v : module.variables()) {
      if (v.space() == Space.SHARED) {
        shared.put(v.name(), v);
      } else {
        Allocation a = globals.get(v.name());
        if (a == null) {
          throw new PtxException(v.line(), 0, "unresolved external variable " + v.name());
        }
        names.put(v.name(), new Place(v, v.space(), a.base()));
      }
    }
  }

  /** All kernels with a body, in the order of the text. */
  public List<DecodedKernel> kernels() {
    List<DecodedKernel> all = new ArrayList<>();
    for (Function f : module.functions()) {
      if (f.entry() && f.body() != null) {
        all.add(kernel(f, f.body()));
      }
    }
    return all;
  }

  private DecodedKernel kernel(Function f, List<Statement> body) {
    if (f.directives().containsKey("blocksareclusters")
        && !f.directives().keySet().containsAll(List.of("reqntid", "reqnctapercluster"))) {
      throw new PtxException(
          f.line(),
          0,
          ".blocksareclusters of " + f.name() + " needs .reqntid and .reqnctapercluster");
    }
    // Shared variables of the module have a place in each kernel of their own.
    Scope kernelNames = new Scope(names, false);
    FrameLayout frame = new FrameLayout(kernelNames, shared);
    Scope scope = new Scope(kernelNames, false);
    int n = f.parameters().size();
    int[] offsets = new int[n];
    int[] sizes = new int[n];
    long at = 0;
    for (int k = 0; k < n; k++) {
      Variable v = f.parameters().get(k);
      at = FrameLayout.align(at, v.alignment());
      if (v.bytes() > MOST_PARAMETER_BYTES - at) {
        throw new PtxException(
            v.line(),
            0,
            "the parameters of " + f.name() + " take more than " + MOST_PARAMETER_BYTES + " bytes");
      }
      offsets[k] = (int) at;
      sizes[k] = (int) v.bytes();
      scope.put(v.name(), new Place(v, Space.PARAM, at));
      at += v.bytes();
    }
    LocalFrame local = frame.localFrame();
    Flattener flattener = new Flattener(graph, frame);
    List<Item> items = flattener.flatten(body, new Scope(scope, false));
    frame.finish();
    KernelDecoder decoder = new KernelDecoder(module.files(), addresses, local);
    KernelDecoder.Decoded decoded = decoder.decode(items, flattener.procedures());
    // No function is active twice unless it is recursive.
    int localBytes =
        local.size() + flattener.procedures().stream().mapToInt(p -> p.frame.size()).sum();
    boolean stack =
        StackDecoder.used(items)
            || flattener.procedures().stream().anyMatch(p -> graph.recursive(p.function.name()));
    Program program =
        decoder
            .registers()
            .program(
                f.name(),
                decoded.code(),
                decoded.flow(),
                (int) at,
                frame.sharedBytes(),
                localBytes,
                stack,
                decoder.sources());
    return new DecodedKernel(
        program, offsets, sizes, decoder.registers().registers(), maxThreads(f), f.directives());
  }

  private static int maxThreads(Function f) {
    List<Long> limit = f.directives().getOrDefault("reqntid", f.directives().get("maxntid"));
    if (limit == null || limit.isEmpty()) {
      return 1024;
    }
    long threads = 1;
    for (long part : limit) {
      threads = Math.clamp(part, 1, 1024) * threads;
    }
    return (int) Math.clamp(threads, 1, 1024);
  }
}
