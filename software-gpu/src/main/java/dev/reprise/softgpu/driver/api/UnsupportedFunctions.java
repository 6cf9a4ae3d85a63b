package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Functions of the bindings that mean nothing without hardware, or more than this driver does. Each
 * exists and answers {@code CUDA_ERROR_NOT_SUPPORTED}; {@code docs/software-gpu.md} lists them by
 * the same subjects.
 */
public final class UnsupportedFunctions {

  /** The functions by what they are about. */
  private static final Map<String, List<String>> BY_SUBJECT =
      Map.ofEntries(
          Map.entry(
              "textures and surfaces",
              List.of(
                  "cuDeviceGetTexture1DLinearMaxWidth",
                  "cuSurfObjectCreate",
                  "cuSurfObjectDestroy",
                  "cuSurfObjectGetResourceDesc",
                  "cuTexObjectCreate",
                  "cuTexObjectDestroy",
                  "cuTexObjectGetResourceDesc",
                  "cuTexObjectGetResourceViewDesc",
                  "cuTexObjectGetTextureDesc")),
          Map.entry(
              "arrays",
              List.of(
                  "cuArray3DCreate_v2",
                  "cuArray3DGetDescriptor_v2",
                  "cuArrayCreate_v2",
                  "cuArrayDestroy",
                  "cuArrayGetDescriptor_v2",
                  "cuArrayGetMemoryRequirements",
                  "cuArrayGetPlane",
                  "cuArrayGetSparseProperties",
                  "cuMemMapArrayAsync",
                  "cuMemcpyAtoA_v2",
                  "cuMemcpyAtoD_v2",
                  "cuMemcpyAtoHAsync_v2",
                  "cuMemcpyAtoH_v2",
                  "cuMemcpyDtoA_v2",
                  "cuMemcpyHtoAAsync_v2",
                  "cuMemcpyHtoA_v2",
                  "cuMipmappedArrayCreate",
                  "cuMipmappedArrayDestroy",
                  "cuMipmappedArrayGetLevel",
                  "cuMipmappedArrayGetMemoryRequirements",
                  "cuMipmappedArrayGetSparseProperties")),
          Map.entry(
              "memory and events of other processes",
              List.of(
                  "cuIpcCloseMemHandle",
                  "cuIpcGetEventHandle",
                  "cuIpcGetMemHandle",
                  "cuIpcOpenEventHandle",
                  "cuIpcOpenMemHandle_v2",
                  "cuMemExportToShareableHandle",
                  "cuMemGetHandleForAddressRange",
                  "cuMemImportFromShareableHandle",
                  "cuMemPoolExportPointer",
                  "cuMemPoolExportToShareableHandle",
                  "cuMemPoolImportFromShareableHandle",
                  "cuMemPoolImportPointer")),
          Map.entry(
              "images of graphics drivers", List.of("cuExternalMemoryGetMappedMipmappedArray")),
          Map.entry(
              "several devices",
              List.of(
                  "cuDeviceGetP2PAtomicCapabilities",
                  "cuLaunchCooperativeKernelMultiDevice",
                  "cuMulticastAddDevice",
                  "cuMulticastBindAddr",
                  "cuMulticastBindMem",
                  "cuMulticastCreate",
                  "cuMulticastGetGranularity",
                  "cuMulticastUnbind")),
          Map.entry(
              "parts of the multiprocessors",
              List.of(
                  "cuCtxFromGreenCtx",
                  "cuCtxGetDevResource",
                  "cuDevResourceGenerateDesc",
                  "cuDevSmResourceSplitByCount",
                  "cuDeviceGetDevResource",
                  "cuGreenCtxCreate",
                  "cuGreenCtxDestroy",
                  "cuGreenCtxGetDevResource",
                  "cuGreenCtxGetId",
                  "cuGreenCtxRecordEvent",
                  "cuGreenCtxStreamCreate",
                  "cuGreenCtxWaitEvent")),
          Map.entry(
              "linking machine code",
              List.of(
                  "cuLinkAddData_v2",
                  "cuLinkAddFile_v2",
                  "cuLinkComplete",
                  "cuLinkCreate_v2",
                  "cuLinkDestroy")),
          Map.entry(
              "stopping and saving a process",
              List.of(
                  "cuCheckpointProcessCheckpoint",
                  "cuCheckpointProcessGetRestoreThreadId",
                  "cuCheckpointProcessGetState",
                  "cuCheckpointProcessLock",
                  "cuCheckpointProcessRestore",
                  "cuCheckpointProcessUnlock",
                  "cuCoredumpGetAttribute",
                  "cuCoredumpGetAttributeGlobal",
                  "cuCoredumpSetAttribute",
                  "cuCoredumpSetAttributeGlobal")),
          Map.entry(
              "hardware",
              List.of(
                  "cuDeviceGetLuid",
                  "cuDeviceRegisterAsyncNotification",
                  "cuDeviceUnregisterAsyncNotification",
                  "cuFlushGPUDirectRDMAWrites",
                  "cuGetExportTable",
                  "cuMemBatchDecompressAsync")));

  private static final Map<String, String> SUBJECTS = subjects();

  private static final MethodHandle ANSWER;

  static {
    try {
      ANSWER =
          MethodHandles.lookup()
              .findStatic(
                  UnsupportedFunctions.class,
                  "answer",
                  MethodType.methodType(int.class, SoftwareGpu.class, String.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private UnsupportedFunctions() {}

  private static Map<String, String> subjects() {
    Map<String, String> subjects = new TreeMap<>();
    BY_SUBJECT.forEach((subject, functions) ->
        functions.forEach(function -> {
          if (subjects.put(function, subject) != null) {
            throw new IllegalStateException(function + " is listed twice");
          }
        }));
    return subjects;
  }

  /** True for a function that is listed here. */
  public static boolean contains(String symbol) {
    return SUBJECTS.containsKey(symbol);
  }

  /** What each function is about, by its exported symbol. */
  public static Map<String, String> all() {
    return Map.copyOf(SUBJECTS);
  }

  /** A function with the signature of the bindings; null for what is not listed here. */
  public static @Nullable MethodHandle find(String symbol, SoftwareGpu gpu) {
    if (!contains(symbol)) {
      return null;
    }
    return MethodHandles.dropArguments(
        MethodHandles.insertArguments(ANSWER, 0, gpu, symbol),
        0,
        descriptor(symbol).toMethodType().parameterList());
  }

  /** The C signature of a function, looked up when it is asked for: few programs come here. */
  public static FunctionDescriptor descriptor(String symbol) {
    try {
      return (FunctionDescriptor)
          MethodHandles.publicLookup()
              .findStatic(
                  cuda_h.class,
                  symbol + "$descriptor",
                  MethodType.methodType(FunctionDescriptor.class))
              .invoke();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("the bindings lack " + symbol, e);
    }
  }

  // Called through the method handle above.
  @SuppressWarnings("unused")
  private static int answer(SoftwareGpu gpu, String symbol) {
    gpu.device();
    throw CudaFailure.notSupported("%s (%s)".formatted(symbol, SUBJECTS.get(symbol)));
  }
}
