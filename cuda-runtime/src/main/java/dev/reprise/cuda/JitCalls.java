package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** The options of loading code (CUDA Driver API, "Module Management", {@code CUjit_option}). */
final class JitCalls {

  private JitCalls() {}

  /**
   * Options as the driver reads them, with room for its logs.
   *
   * @param count how many options
   * @param keys the options
   * @param values their values
   * @param errors what the compiler writes about errors
   * @param infos what it writes besides
   */
  record Options(
      int count,
      MemorySegment keys,
      MemorySegment values,
      MemorySegment errors,
      MemorySegment infos) {

    /** What the compiler has written besides errors. */
    String log() {
      return infos.getString(0).strip();
    }

    /** The exception for a load that failed. */
    ModuleLoadException failure(
        int code, String function, String label, long imageBytes, ModuleOptions options) {
      return new ModuleLoadException(
          code,
          Failures.name(code),
          function,
          Failures.list("label", label, "imageBytes", imageBytes, "options", options),
          Failures.text(code),
          Failures.isSticky(code),
          errors.getString(0).strip(),
          log());
    }
  }

  static Options options(Arena arena, ModuleOptions options) {
    MemorySegment errors = arena.allocate(options.logBytes());
    MemorySegment infos = arena.allocate(options.logBytes());
    // Values are as wide as a pointer; a number is stored in place of the pointer.
    Map<Integer, Long> chosen = new LinkedHashMap<>();
    chosen.put(cuda_h.CU_JIT_INFO_LOG_BUFFER(), infos.address());
    chosen.put(cuda_h.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES(), (long) options.logBytes());
    chosen.put(cuda_h.CU_JIT_ERROR_LOG_BUFFER(), errors.address());
    chosen.put(cuda_h.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES(), (long) options.logBytes());
    if (options.maxRegisters() > 0) {
      chosen.put(cuda_h.CU_JIT_MAX_REGISTERS(), (long) options.maxRegisters());
    }
    if (options.optimizationLevel() >= 0) {
      chosen.put(cuda_h.CU_JIT_OPTIMIZATION_LEVEL(), (long) options.optimizationLevel());
    }
    if (options.debugInfo()) {
      chosen.put(cuda_h.CU_JIT_GENERATE_DEBUG_INFO(), 1L);
    }
    if (options.lineInfo()) {
      chosen.put(cuda_h.CU_JIT_GENERATE_LINE_INFO(), 1L);
    }
    if (options.verboseLog()) {
      chosen.put(cuda_h.CU_JIT_LOG_VERBOSE(), 1L);
    }
    ComputeCapability target = options.target();
    if (target != null) {
      chosen.put(cuda_h.CU_JIT_TARGET(), target.major() * 10L + target.minor());
    }
    return new Options(
        chosen.size(),
        arena.allocateFrom(
            JAVA_INT, chosen.keySet().stream().mapToInt(Integer::intValue).toArray()),
        arena.allocateFrom(
            JAVA_LONG, chosen.values().stream().mapToLong(Long::longValue).toArray()),
        errors,
        infos);
  }
}
