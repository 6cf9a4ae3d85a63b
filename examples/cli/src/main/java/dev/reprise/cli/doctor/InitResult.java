package dev.reprise.cli.doctor;

import dev.reprise.bindings.cuda.cuda_h;
import java.util.Arrays;
import java.util.Optional;

/** The results of {@code cuInit} that have a known cure (CUDA Driver API, {@code CUresult}). */
enum InitResult {
  NO_DEVICE(
      cuda_h.CUDA_ERROR_NO_DEVICE(),
      "NVIDIA's library is there but sees no device",
      "run nvidia-smi, see that /dev/nvidia0 exists, start a container with --gpus all;"
          + " or do without: --driver software"),
  STUB_LIBRARY(
      cuda_h.CUDA_ERROR_STUB_LIBRARY(),
      "this is the stub of the CUDA toolkit, made for linking only",
      "take the toolkit's stubs folder out of LD_LIBRARY_PATH"),
  DEVICE_UNAVAILABLE(
      cuda_h.CUDA_ERROR_DEVICE_UNAVAILABLE(),
      "the device is held by another process or is closed to compute work",
      "see the compute mode and the processes in nvidia-smi; nvidia-smi -c DEFAULT shares it"),
  SYSTEM_NOT_READY(
      cuda_h.CUDA_ERROR_SYSTEM_NOT_READY(),
      "a service that the devices need is not running",
      "start nvidia-fabricmanager, in the version of the driver, and try again"),
  SYSTEM_DRIVER_MISMATCH(
      cuda_h.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH(),
      "the library and NVIDIA's kernel module are of different versions",
      "restart the machine after an update of the driver; in a container, use the library that the"
          + " container toolkit mounts"),
  COMPAT_NOT_SUPPORTED(
      cuda_h.CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE(),
      "this is the forward compatibility library, which runs on data centre devices only",
      "take the cuda-compat folder out of LD_LIBRARY_PATH, or update the driver"),
  UNKNOWN(
      cuda_h.CUDA_ERROR_UNKNOWN(),
      "the kernel module does not answer",
      "load nvidia_uvm (nvidia-modprobe -u -c=0), or restart the machine; it happens after a"
          + " suspend");

  private final int code;
  private final String meaning;
  private final String fix;

  InitResult(int code, String meaning, String fix) {
    this.code = code;
    this.meaning = meaning;
    this.fix = fix;
  }

  static Optional<InitResult> of(int code) {
    return Arrays.stream(values()).filter(result -> result.code == code).findFirst();
  }

  /** What it means, in one clause. */
  String meaning() {
    return meaning;
  }

  /** What to do about it. */
  String fix() {
    return fix;
  }
}
