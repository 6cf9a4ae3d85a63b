package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Turns result codes of the driver into exceptions. */
final class Failures {

  static final int SUCCESS = cuda_h.CUDA_SUCCESS();
  static final int NOT_READY = cuda_h.CUDA_ERROR_NOT_READY();
  static final int INVALID_VALUE = cuda_h.CUDA_ERROR_INVALID_VALUE();
  static final int DEINITIALIZED = cuda_h.CUDA_ERROR_DEINITIALIZED();

  /** Codes after which the driver documents that the process must end to use CUDA again. */
  private static final Set<Integer> STICKY =
      Set.of(
          cuda_h.CUDA_ERROR_ECC_UNCORRECTABLE(),
          cuda_h.CUDA_ERROR_NVLINK_UNCORRECTABLE(),
          cuda_h.CUDA_ERROR_CONTAINED(),
          cuda_h.CUDA_ERROR_ILLEGAL_ADDRESS(),
          cuda_h.CUDA_ERROR_LAUNCH_TIMEOUT(),
          cuda_h.CUDA_ERROR_CONTEXT_IS_DESTROYED(),
          cuda_h.CUDA_ERROR_ASSERT(),
          cuda_h.CUDA_ERROR_HARDWARE_STACK_ERROR(),
          cuda_h.CUDA_ERROR_ILLEGAL_INSTRUCTION(),
          cuda_h.CUDA_ERROR_MISALIGNED_ADDRESS(),
          cuda_h.CUDA_ERROR_INVALID_ADDRESS_SPACE(),
          cuda_h.CUDA_ERROR_INVALID_PC(),
          cuda_h.CUDA_ERROR_LAUNCH_FAILED(),
          cuda_h.CUDA_ERROR_TENSOR_MEMORY_LEAK(),
          cuda_h.CUDA_ERROR_MPS_CLIENT_TERMINATED(),
          cuda_h.CUDA_ERROR_EXTERNAL_DEVICE());

  private static final long MAX_TEXT = 4096;

  private Failures() {}

  static boolean isSticky(int code) {
    return STICKY.contains(code);
  }

  /** The exception for a failed call; {@code arguments} alternates names and values. */
  static CudaException of(int code, String function, Object... arguments) {
    return new CudaException(
        code, name(code), function, list(arguments), text(code), isSticky(code), "");
  }

  static String list(Object... arguments) {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < arguments.length; i += 2) {
      list.append(i == 0 ? "" : ", ").append(arguments[i]).append('=').append(arguments[i + 1]);
    }
    return list.toString();
  }

  static String name(int code) {
    MemorySegment out = Scratch.get().first;
    out.set(JAVA_LONG, 0, 0);
    int answer = cuda_h.cuGetErrorName(code, out);
    return answer == SUCCESS ? string(out, "CUresult " + code) : "CUresult " + code;
  }

  static String text(int code) {
    MemorySegment out = Scratch.get().first;
    out.set(JAVA_LONG, 0, 0);
    int answer = cuda_h.cuGetErrorString(code, out);
    return answer == SUCCESS ? string(out, "no description") : "no description";
  }

  private static String string(MemorySegment out, String absent) {
    long address = out.get(JAVA_LONG, 0);
    return address == 0
        ? absent
        : MemorySegment.ofAddress(address).reinterpret(MAX_TEXT).getString(0);
  }
}
