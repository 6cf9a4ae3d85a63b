package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;

/** Initialization, version and error handling. */
final class DriverFunctions extends Functions {

  private final Map<Result, MemorySegment> names = strings(Result::constant);
  private final Map<Result, MemorySegment> texts = strings(Result::text);

  DriverFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  private static Map<Result, MemorySegment> strings(Function<Result, String> text) {
    Map<Result, MemorySegment> strings = new EnumMap<>(Result.class);
    for (Result result : Result.values()) {
      strings.put(result, Arena.global().allocateFrom(text.apply(result)));
    }
    return strings;
  }

  int cuInit(int flags) {
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
    gpu().initialize();
    return SUCCESS;
  }

  int cuDriverGetVersion(MemorySegment version) {
    CallerMemory.writeInt(version, "driverVersion", SoftwareGpu.DRIVER_VERSION);
    return SUCCESS;
  }

  int cuGetErrorName(int error, MemorySegment out) {
    return string(error, out, names);
  }

  int cuGetErrorString(int error, MemorySegment out) {
    return string(error, out, texts);
  }

  private static int string(int error, MemorySegment out, Map<Result, MemorySegment> strings) {
    Result result = Result.of(error);
    MemorySegment text = result == null ? null : strings.get(result);
    CallerMemory.writeLong(out, "pStr", text == null ? 0 : text.address());
    return text == null ? Result.INVALID_VALUE.code() : SUCCESS;
  }
}
