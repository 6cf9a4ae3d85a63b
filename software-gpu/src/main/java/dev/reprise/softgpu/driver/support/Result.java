package dev.reprise.softgpu.driver.support;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Every code of {@code CUresult} (CUDA 13.0) with a short text of our own. */
public enum Result {
  SUCCESS(0, "no error"),
  INVALID_VALUE(1, "an argument has a value that the function does not accept"),
  OUT_OF_MEMORY(2, "not enough memory"),
  NOT_INITIALIZED(3, "cuInit has not been called"),
  DEINITIALIZED(4, "the driver is shutting down"),
  PROFILER_DISABLED(5, "the profiler is not active for this run"),
  PROFILER_NOT_INITIALIZED(6, "the profiler was not initialised"),
  PROFILER_ALREADY_STARTED(7, "the profiler runs already"),
  PROFILER_ALREADY_STOPPED(8, "the profiler is stopped already"),
  STUB_LIBRARY(34, "the library is a link-time stub without a driver"),
  CALL_REQUIRES_NEWER_DRIVER(36, "the call needs a newer driver"),
  DEVICE_UNAVAILABLE(46, "the device is in use or not available"),
  NO_DEVICE(100, "no CUDA device was found"),
  INVALID_DEVICE(101, "no such device"),
  DEVICE_NOT_LICENSED(102, "the device lacks a licence"),
  INVALID_IMAGE(200, "the module image is not valid"),
  INVALID_CONTEXT(201, "no context is current, or the context is not valid"),
  CONTEXT_ALREADY_CURRENT(202, "the context is current already"),
  MAP_FAILED(205, "a map operation failed"),
  UNMAP_FAILED(206, "an unmap operation failed"),
  ARRAY_IS_MAPPED(207, "the array is mapped"),
  ALREADY_MAPPED(208, "the resource is mapped already"),
  NO_BINARY_FOR_GPU(209, "the image holds no code for this device"),
  ALREADY_ACQUIRED(210, "the resource was acquired already"),
  NOT_MAPPED(211, "the resource is not mapped"),
  NOT_MAPPED_AS_ARRAY(212, "the resource is not mapped as an array"),
  NOT_MAPPED_AS_POINTER(213, "the resource is not mapped as a pointer"),
  ECC_UNCORRECTABLE(214, "an uncorrectable ECC error was found"),
  UNSUPPORTED_LIMIT(215, "the device has no such limit"),
  CONTEXT_ALREADY_IN_USE(216, "the context is bound to another thread"),
  PEER_ACCESS_UNSUPPORTED(217, "the devices cannot access each other"),
  INVALID_PTX(218, "the PTX could not be compiled"),
  INVALID_GRAPHICS_CONTEXT(219, "the graphics context is not valid"),
  NVLINK_UNCORRECTABLE(220, "an uncorrectable NVLink error was found"),
  JIT_COMPILER_NOT_FOUND(221, "the PTX compiler was not found"),
  UNSUPPORTED_PTX_VERSION(222, "the PTX version is newer than this driver supports"),
  JIT_COMPILATION_DISABLED(223, "compilation of PTX is disabled"),
  UNSUPPORTED_EXEC_AFFINITY(224, "the execution affinity is not supported"),
  UNSUPPORTED_DEVSIDE_SYNC(
      225, "the code synchronises on the device in a way that is not supported"),
  CONTAINED(226, "a contained device exception occurred"),
  INVALID_SOURCE(300, "the source is not valid"),
  FILE_NOT_FOUND(301, "the file was not found"),
  SHARED_OBJECT_SYMBOL_NOT_FOUND(302, "a symbol of a shared object was not found"),
  SHARED_OBJECT_INIT_FAILED(303, "a shared object failed to initialise"),
  OPERATING_SYSTEM(304, "a call to the operating system failed"),
  INVALID_HANDLE(400, "a handle is not valid"),
  ILLEGAL_STATE(401, "the object is not in a state that allows the call"),
  LOSSY_QUERY(402, "the query would lose information"),
  NOT_FOUND(500, "no symbol of that name"),
  NOT_READY(600, "the work has not finished"),
  ILLEGAL_ADDRESS(700, "a kernel or copy accessed an address that is not allocated"),
  LAUNCH_OUT_OF_RESOURCES(701, "the launch needs more resources than a block can have"),
  LAUNCH_TIMEOUT(702, "a kernel ran too long"),
  LAUNCH_INCOMPATIBLE_TEXTURING(703, "the launch uses an incompatible texturing mode"),
  PEER_ACCESS_ALREADY_ENABLED(704, "peer access is enabled already"),
  PEER_ACCESS_NOT_ENABLED(705, "peer access is not enabled"),
  PRIMARY_CONTEXT_ACTIVE(708, "the primary context is active"),
  CONTEXT_IS_DESTROYED(709, "the current context was destroyed"),
  ASSERT(710, "a device-side assertion failed"),
  TOO_MANY_PEERS(711, "too many peers"),
  HOST_MEMORY_ALREADY_REGISTERED(712, "the host memory is registered already"),
  HOST_MEMORY_NOT_REGISTERED(713, "the host memory is not registered"),
  HARDWARE_STACK_ERROR(714, "a kernel corrupted or overflowed its call stack"),
  ILLEGAL_INSTRUCTION(715, "a kernel met an illegal instruction"),
  MISALIGNED_ADDRESS(716, "a kernel accessed a misaligned address"),
  INVALID_ADDRESS_SPACE(717, "an instruction met an address of another address space"),
  INVALID_PC(718, "a kernel left its code"),
  LAUNCH_FAILED(719, "a kernel failed while it ran"),
  COOPERATIVE_LAUNCH_TOO_LARGE(720, "the cooperative grid does not fit on the device at once"),
  TENSOR_MEMORY_LEAK(721, "a block exited without freeing its tensor memory"),
  NOT_PERMITTED(800, "the call is not permitted here"),
  NOT_SUPPORTED(801, "this driver does not support the call"),
  SYSTEM_NOT_READY(802, "the system is not ready"),
  SYSTEM_DRIVER_MISMATCH(803, "parts of the driver have different versions"),
  COMPAT_NOT_SUPPORTED_ON_DEVICE(804, "the device does not support forward compatibility"),
  MPS_CONNECTION_FAILED(805, "the connection to the MPS server failed"),
  MPS_RPC_FAILURE(806, "a call to the MPS server failed"),
  MPS_SERVER_NOT_READY(807, "the MPS server is not ready"),
  MPS_MAX_CLIENTS_REACHED(808, "the MPS server has no room for another client"),
  MPS_MAX_CONNECTIONS_REACHED(809, "the MPS server has no room for another connection"),
  MPS_CLIENT_TERMINATED(810, "the MPS server ended this client"),
  CDP_NOT_SUPPORTED(811, "the device cannot launch from the device"),
  CDP_VERSION_MISMATCH(812, "the code mixes versions of device-side launch"),
  STREAM_CAPTURE_UNSUPPORTED(900, "the call is not permitted while a stream captures"),
  STREAM_CAPTURE_INVALIDATED(901, "the capture was invalidated by an earlier error"),
  STREAM_CAPTURE_MERGE(902, "the call would merge two captures"),
  STREAM_CAPTURE_UNMATCHED(903, "the capture did not begin on this stream"),
  STREAM_CAPTURE_UNJOINED(
      904, "the capture has forked work that was not joined to its origin stream"),
  STREAM_CAPTURE_ISOLATION(905, "a dependency would cross the boundary of the capture"),
  STREAM_CAPTURE_IMPLICIT(906, "the call would depend on a capture through the legacy stream"),
  CAPTURED_EVENT(907, "the event was last recorded in a capture"),
  STREAM_CAPTURE_WRONG_THREAD(908, "the capture was begun by another thread"),
  TIMEOUT(909, "the wait timed out"),
  GRAPH_EXEC_UPDATE_FAILURE(910, "the graph differs too much to update the executable graph"),
  EXTERNAL_DEVICE(911, "an external device failed"),
  INVALID_CLUSTER_SIZE(912, "the cluster size is not valid"),
  FUNCTION_NOT_LOADED(913, "the function is not loaded"),
  INVALID_RESOURCE_TYPE(914, "the resource type is not valid"),
  INVALID_RESOURCE_CONFIGURATION(915, "the resource configuration is not valid"),
  KEY_ROTATION(916, "the key is being rotated"),
  UNKNOWN(999, "an unknown error occurred in the driver");

  private static final Map<Integer, Result> BY_CODE =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(Result::code, Function.identity()));

  /** What faults of work leave a context with, as the documentation of each code says. */
  private static final Set<Result> POISONING =
      EnumSet.of(
          ECC_UNCORRECTABLE,
          NVLINK_UNCORRECTABLE,
          CONTAINED,
          ILLEGAL_ADDRESS,
          LAUNCH_TIMEOUT,
          ASSERT,
          HARDWARE_STACK_ERROR,
          ILLEGAL_INSTRUCTION,
          MISALIGNED_ADDRESS,
          INVALID_ADDRESS_SPACE,
          INVALID_PC,
          LAUNCH_FAILED,
          TENSOR_MEMORY_LEAK,
          MPS_CLIENT_TERMINATED,
          EXTERNAL_DEVICE);

  private final int code;
  private final String text;

  Result(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /** The number that functions return. */
  public int code() {
    return code;
  }

  /** The name of the constant in {@code cuda.h}. */
  public String constant() {
    return this == SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_" + name();
  }

  /** What it means, in a few words. */
  public String text() {
    return text;
  }

  /** True for the code of a fault after which the context can no longer be used. */
  public boolean poisons() {
    return POISONING.contains(this);
  }

  /** The result of a code, or null when there is no such code. */
  public static @Nullable Result of(int code) {
    return BY_CODE.get(code);
  }
}
