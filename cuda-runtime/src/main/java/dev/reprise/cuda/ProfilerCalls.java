package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;

/** Checked calls of CUDA Driver API, "Profiler Control". */
final class ProfilerCalls {

  private ProfilerCalls() {}

  static void start(Context context) {
    context.makeCurrent();
    int code = cuda_h.cuProfilerStart();
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuProfilerStart", "device", context.ordinal());
    }
  }

  static void stop(Context context) {
    context.makeCurrent();
    int code = cuda_h.cuProfilerStop();
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuProfilerStop", "device", context.ordinal());
    }
  }
}
