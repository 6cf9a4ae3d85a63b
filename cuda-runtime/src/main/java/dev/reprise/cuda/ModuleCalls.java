package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.bindings.MissingEntryPointException;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checked calls of CUDA Driver API, "Module Management" and "Execution Control". */
final class ModuleCalls {

  private static final Logger LOG = LoggerFactory.getLogger(ModuleCalls.class);

  /** Whether it was said that the driver does not tell parameters. */
  private static final AtomicBoolean PARAMETERS_UNKNOWN = new AtomicBoolean();

  private ModuleCalls() {}

  /**
   * One parameter of a kernel.
   *
   * @param offset bytes from the start of the parameter list
   * @param size bytes
   */
  record Parameter(int offset, int size) {}

  /**
   * A module that was loaded.
   *
   * @param value the driver's handle
   * @param log what its compiler said
   */
  record Loaded(MemorySegment value, String log) {}

  static Loaded load(Context context, String label, String ptx, ModuleOptions options) {
    try (Arena arena = Arena.ofConfined()) {
      return load(context, label, arena.allocateFrom(ptx), options, arena);
    }
  }

  static Loaded load(Context context, String label, byte[] image, ModuleOptions options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(image.length + 1L, Long.BYTES);
      MemorySegment.copy(image, 0, copy, JAVA_BYTE, 0, image.length);
      return load(context, label, copy, options, arena);
    }
  }

  private static Loaded load(
      Context context, String label, MemorySegment image, ModuleOptions options, Arena arena) {
    JitCalls.Options list = JitCalls.options(arena, options);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code =
        cuda_h.cuModuleLoadDataEx(scratch.first, image, list.count(), list.keys(), list.values());
    if (code != Failures.SUCCESS) {
      throw list.failure(code, "cuModuleLoadDataEx", label, image.byteSize(), options);
    }
    return new Loaded(scratch.firstHandle(), list.log());
  }

  static void unload(Context context, String label, MemorySegment module) {
    context.makeCurrent();
    int code = cuda_h.cuModuleUnload(module);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuModuleUnload", "module", label);
    }
  }

  static MemorySegment function(Context context, ModuleHandle module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuModuleGetFunction(scratch.first, module.value(), text);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuModuleGetFunction", "module", module.label(), "name", name);
      }
      return scratch.firstHandle();
    }
  }

  static int attribute(
      Context context, String kernel, MemorySegment function, KernelAttribute attribute) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuFuncGetAttribute(scratch.first, attribute.code(), function);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuFuncGetAttribute", "attribute", attribute, "kernel", kernel);
    }
    return scratch.firstInt();
  }

  static void setAttribute(
      Context context,
      String kernel,
      MemorySegment function,
      KernelAttribute attribute,
      int value) {
    int id = attribute.code();
    context.makeCurrent();
    int code = cuda_h.cuFuncSetAttribute(function, id, value);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuFuncSetAttribute", "attribute", attribute, "value", value, "kernel", kernel);
    }
  }

  /** Where a variable of a module is, and its bytes. */
  static MemorySegment variable(Context context, ModuleHandle module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuModuleGetGlobal_v2(scratch.first, scratch.second, module.value(), text);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuModuleGetGlobal_v2", "module", module.label(), "name", name);
      }
      // Only to carry two numbers: the host cannot address device memory.
      return MemorySegment.ofAddress(scratch.firstLong()).reinterpret(scratch.secondLong());
    }
  }

  /** The parameters of a kernel, or empty when the driver is older than CUDA 12.4. */
  static Optional<List<Parameter>> parameters(
      Context context, String kernel, MemorySegment function) {
    List<Parameter> parameters = new ArrayList<>();
    Scratch scratch = Scratch.get();
    while (true) {
      int code;
      try {
        context.makeCurrent();
        code =
            cuda_h.cuFuncGetParamInfo(function, parameters.size(), scratch.first, scratch.second);
      } catch (MissingEntryPointException e) {
        // The only way to learn the list; without it the driver reads what it is given.
        if (!PARAMETERS_UNKNOWN.getAndSet(true)) {
          LOG.warn("Number and sizes of launch arguments are not checked: {}", e.getMessage());
        }
        return Optional.empty();
      }
      if (code == Failures.INVALID_VALUE) {
        return Optional.of(List.copyOf(parameters));
      }
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuFuncGetParamInfo", "kernel", kernel, "index", parameters.size());
      }
      parameters.add(new Parameter((int) scratch.firstLong(), (int) scratch.secondLong()));
    }
  }
}
