package dev.reprise.cli.doctor;

import java.util.Arrays;
import java.util.Optional;

/**
 * The results of {@code cuInit} that have a known cure (CUDA Driver API, {@code CUresult}, less the
 * prefix {@code CUDA_ERROR_}).
 *
 * <p>The codes are written out: where native access is refused the generated bindings cannot be
 * initialised, and that must be reported too.
 */
enum InitResult {
  NO_DEVICE(
      100,
      "NVIDIA's library is there but sees no device",
      "run nvidia-smi, see that /dev/nvidia0 exists, start a container with --gpus all;"
          + " or do without: --driver software"),
  STUB_LIBRARY(
      34,
      "this is the stub of the CUDA toolkit, made for linking only",
      "take the toolkit's stubs folder out of LD_LIBRARY_PATH"),
  DEVICE_UNAVAILABLE(
      46,
      "the device is held by another process or is closed to compute work",
      "see the compute mode and the processes in nvidia-smi; nvidia-smi -c DEFAULT shares it"),
  SYSTEM_NOT_READY(
      802,
      "a service that the devices need is not running",
      "start nvidia-fabricmanager, in the version of the driver, and try again"),
  SYSTEM_DRIVER_MISMATCH(
      803,
      "the library and NVIDIA's kernel module are of different versions",
      "restart the machine after an update of the driver; in a container, use the library that the"
          + " container toolkit mounts"),
  COMPAT_NOT_SUPPORTED_ON_DEVICE(
      804,
      "this is the forward compatibility library, which runs on data centre devices only",
      "take the cuda-compat folder out of LD_LIBRARY_PATH, or update the driver"),
  UNKNOWN(
      999,
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

  int code() {
    return code;
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
