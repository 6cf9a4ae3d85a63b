package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.MissingEntryPointException;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checked calls of CUDA Driver API, "Module Management" and "Execution Control". */
final class ModuleCalls {

  private static final int LOG_BYTES = 16 * 1024;

  private ModuleCalls() {}

  /**
   * One parameter of a kernel.
   *
   * @param offset bytes from the start of the parameter list
   * @param size bytes
   */
  record Parameter(int offset, int size) {}

  static MemorySegment load(Context context, String label, String ptx) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment image = arena.allocateFrom(ptx);
      MemorySegment errorLog = arena.allocate(LOG_BYTES);
      MemorySegment infoLog = arena.allocate(LOG_BYTES);
      int[] options = {
        cuda_h.CU_JIT_INFO_LOG_BUFFER(),
        cuda_h.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES(),
        cuda_h.CU_JIT_ERROR_LOG_BUFFER(),
        cuda_h.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES()
      };
      // Values are as wide as a pointer; a number is stored in place of the pointer.
      long[] values = {infoLog.address(), LOG_BYTES, errorLog.address(), LOG_BYTES};
      MemorySegment optionList = arena.allocateFrom(JAVA_INT, options);
      MemorySegment valueList = arena.allocateFrom(JAVA_LONG, values);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code =
          cuda_h.cuModuleLoadDataEx(scratch.first, image, options.length, optionList, valueList);
      if (code != Failures.SUCCESS) {
        throw new ModuleLoadException(
            code,
            Failures.name(code),
            Failures.list("label", label, "ptxChars", ptx.length()),
            Failures.text(code),
            Failures.isSticky(code),
            errorLog.getString(0).strip(),
            infoLog.getString(0).strip());
      }
      return scratch.firstHandle();
    }
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

  static void setMaxDynamicSharedBytes(
      Context context, String kernel, MemorySegment function, int bytes) {
    int attribute = KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES.code();
    context.makeCurrent();
    int code = cuda_h.cuFuncSetAttribute(function, attribute, bytes);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuFuncSetAttribute",
          "attribute",
          KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES,
          "value",
          bytes,
          "kernel",
          kernel);
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
