package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;

/** Checked calls of CUDA Driver API, "Stream Memory Operations". */
final class StreamValueCalls {

  private StreamValueCalls() {}

  static void write32(Context context, long address, int value, StreamHandle stream) {
    int flags = cuda_h.CU_STREAM_WRITE_VALUE_DEFAULT();
    context.makeCurrent();
    int code = cuda_h.cuStreamWriteValue32_v2(stream.value(), address, value, flags);
    check(code, "cuStreamWriteValue32_v2", address, value, stream);
  }

  static void write64(Context context, long address, long value, StreamHandle stream) {
    int flags = cuda_h.CU_STREAM_WRITE_VALUE_DEFAULT();
    context.makeCurrent();
    int code = cuda_h.cuStreamWriteValue64_v2(stream.value(), address, value, flags);
    check(code, "cuStreamWriteValue64_v2", address, value, stream);
  }

  static void wait32(
      Context context, long address, int value, WaitCondition condition, StreamHandle stream) {
    int flags = flags(condition);
    context.makeCurrent();
    int code = cuda_h.cuStreamWaitValue32_v2(stream.value(), address, value, flags);
    check(code, "cuStreamWaitValue32_v2", address, value, stream);
  }

  static void wait64(
      Context context, long address, long value, WaitCondition condition, StreamHandle stream) {
    int flags = flags(condition);
    context.makeCurrent();
    int code = cuda_h.cuStreamWaitValue64_v2(stream.value(), address, value, flags);
    check(code, "cuStreamWaitValue64_v2", address, value, stream);
  }

  static int flags(WaitCondition condition) {
    return switch (condition) {
      case GREATER_OR_EQUAL -> cuda_h.CU_STREAM_WAIT_VALUE_GEQ();
      case EQUAL -> cuda_h.CU_STREAM_WAIT_VALUE_EQ();
      case AND -> cuda_h.CU_STREAM_WAIT_VALUE_AND();
      case NOR -> cuda_h.CU_STREAM_WAIT_VALUE_NOR();
    };
  }

  private static void check(
      int code, String function, long address, long value, StreamHandle stream) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          function,
          "address",
          MemoryCalls.hex(address),
          "value",
          value,
          "stream",
          stream.label());
    }
  }
}
