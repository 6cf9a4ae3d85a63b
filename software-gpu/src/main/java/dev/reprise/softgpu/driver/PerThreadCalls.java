package dev.reprise.softgpu.driver;

import dev.reprise.bindings.DriverSymbol;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.Set;

/**
 * The variants of functions for callers that were built for per-thread default streams: there a
 * null stream, or none, means the stream of the calling thread. They are exported with the suffix
 * {@code _ptsz}, or {@code _ptds} where the function names no stream ({@code
 * CUDA_API_PER_THREAD_DEFAULT_STREAM} in {@code cuda.h}).
 */
final class PerThreadCalls {

  private static final String WITH_STREAM = "_ptsz";
  private static final String WITHOUT_STREAM = "_ptds";

  /** Functions with a stream that have a variant, by the name without the ABI. */
  private static final Set<String> STREAM_FUNCTIONS =
      Set.of(
          "cuEventRecord",
          "cuEventRecordWithFlags",
          "cuGraphInstantiateWithParams",
          "cuGraphLaunch",
          "cuGraphUpload",
          "cuLaunchCooperativeKernel",
          "cuLaunchHostFunc",
          "cuLaunchKernel",
          "cuLaunchKernelEx",
          "cuMemAllocAsync",
          "cuMemAllocFromPoolAsync",
          "cuMemBatchDecompressAsync",
          "cuMemDiscardAndPrefetchBatchAsync",
          "cuMemDiscardBatchAsync",
          "cuMemFreeAsync",
          "cuMemMapArrayAsync",
          "cuMemPrefetchAsync",
          "cuMemPrefetchBatchAsync",
          "cuMemcpy2DAsync",
          "cuMemcpy3DAsync",
          "cuMemcpy3DBatchAsync",
          "cuMemcpy3DPeerAsync",
          "cuMemcpyAsync",
          "cuMemcpyAtoHAsync",
          "cuMemcpyBatchAsync",
          "cuMemcpyDtoDAsync",
          "cuMemcpyDtoHAsync",
          "cuMemcpyHtoAAsync",
          "cuMemcpyHtoDAsync",
          "cuMemcpyPeerAsync",
          "cuMemsetD16Async",
          "cuMemsetD2D16Async",
          "cuMemsetD2D32Async",
          "cuMemsetD2D8Async",
          "cuMemsetD32Async",
          "cuMemsetD8Async",
          "cuSignalExternalSemaphoresAsync",
          "cuStreamAddCallback",
          "cuStreamAttachMemAsync",
          "cuStreamBatchMemOp",
          "cuStreamBeginCapture",
          "cuStreamBeginCaptureToGraph",
          "cuStreamCopyAttributes",
          "cuStreamEndCapture",
          "cuStreamGetAttribute",
          "cuStreamGetCaptureInfo",
          "cuStreamGetCtx",
          "cuStreamGetDevice",
          "cuStreamGetFlags",
          "cuStreamGetId",
          "cuStreamGetPriority",
          "cuStreamIsCapturing",
          "cuStreamQuery",
          "cuStreamSetAttribute",
          "cuStreamSynchronize",
          "cuStreamUpdateCaptureDependencies",
          "cuStreamWaitEvent",
          "cuStreamWaitValue32",
          "cuStreamWaitValue64",
          "cuStreamWriteValue32",
          "cuStreamWriteValue64",
          "cuWaitExternalSemaphoresAsync");

  /** Functions without a stream that have a variant, by the name without the ABI. */
  private static final Set<String> SYNCHRONOUS_FUNCTIONS =
      Set.of(
          "cuMemcpy",
          "cuMemcpy2D",
          "cuMemcpy2DUnaligned",
          "cuMemcpy3D",
          "cuMemcpy3DPeer",
          "cuMemcpyAtoA",
          "cuMemcpyAtoD",
          "cuMemcpyAtoH",
          "cuMemcpyDtoA",
          "cuMemcpyDtoD",
          "cuMemcpyDtoH",
          "cuMemcpyHtoA",
          "cuMemcpyHtoD",
          "cuMemcpyPeer",
          "cuMemsetD16",
          "cuMemsetD2D16",
          "cuMemsetD2D32",
          "cuMemsetD2D8",
          "cuMemsetD32",
          "cuMemsetD8");

  private static final MethodHandle ENTER;
  private static final MethodHandle LEAVE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ENTER =
          lookup.findVirtual(
              SoftwareGpu.class, "enterPerThreadCall", MethodType.methodType(void.class));
      LEAVE =
          lookup.findStatic(
              PerThreadCalls.class,
              "leave",
              MethodType.methodType(int.class, SoftwareGpu.class, Throwable.class, int.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private PerThreadCalls() {}

  /** The exported symbol of the variant of a function; the function's own where it has none. */
  static String variantOf(DriverSymbol function) {
    String base = function.base();
    if (STREAM_FUNCTIONS.contains(base)) {
      return function.exported() + WITH_STREAM;
    }
    return SYNCHRONOUS_FUNCTIONS.contains(base)
        ? function.exported() + WITHOUT_STREAM
        : function.exported();
  }

  /** The symbol of the function that this is a variant of; empty for what is no variant. */
  static Optional<String> functionOf(String symbol) {
    if (!symbol.endsWith(WITH_STREAM) && !symbol.endsWith(WITHOUT_STREAM)) {
      return Optional.empty();
    }
    DriverSymbol function =
        DriverSymbol.all().get(symbol.substring(0, symbol.length() - WITH_STREAM.length()));
    return function != null && variantOf(function).equals(symbol)
        ? Optional.of(function.exported())
        : Optional.empty();
  }

  /** The function as its variant does it. */
  static MethodHandle around(MethodHandle function, SoftwareGpu gpu) {
    return MethodHandles.tryFinally(
        MethodHandles.foldArguments(function, ENTER.bindTo(gpu)), LEAVE.bindTo(gpu));
  }

  // Called through the method handle above; what was thrown goes on by itself.
  @SuppressWarnings("unused")
  private static int leave(SoftwareGpu gpu, Throwable thrown, int code) {
    gpu.leavePerThreadCall();
    return code;
  }
}
