package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.Op;
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
   */
  public record DecodedKernel(
      Program program,
      int[] parameterOffsets,
      int[] parameterSizes,
      int registers,
      int maxThreads) {}

  private final PtxModule module;
  private final Scope names = new Scope(null, false);
  private final Map<String, Variable> shared = new HashMap<>();
  private final Map<String, Function> functions = new HashMap<>();

  /**
   * @param globals memory of each global and constant variable
   */
  public ModuleDecoder(PtxModule module, Map<String, Allocation> globals) {
    this.module = module;
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
    for (Function f : module.functions()) {
      Function known = functions.get(f.name());
      if (!f.entry() && (known == null || known.body() == null)) {
        functions.put(f.name(), f);
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
      offsets[k] = (int) at;
      sizes[k] = (int) v.bytes();
      scope.put(v.name(), new Place(v, Space.PARAM, at));
      at += v.bytes();
    }
    List<Item> items = new Flattener(functions, frame).flatten(body, new Scope(scope, false));
    frame.finish();
    KernelDecoder decoder = new KernelDecoder();
    Op[] code = decoder.decode(items);
    Program program =
        decoder
            .registers()
            .program(f.name(), code, (int) at, frame.sharedBytes(), frame.localBytes());
    return new DecodedKernel(
        program, offsets, sizes, decoder.registers().registers(), maxThreads(f));
  }

  private static int maxThreads(Function f) {
    List<Long> limit = f.directives().getOrDefault("reqntid", f.directives().get("maxntid"));
    if (limit == null || limit.isEmpty()) {
      return 1024;
    }
    long threads = 1;
    for (long part : limit) {
      threads *= part;
    }
    return (int) Math.min(threads, 1024);
  }
}
