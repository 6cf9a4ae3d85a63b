package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;

/**
 * Profiler control (CUDA Driver API, "Profiler Control"): the tool that the marks speak to is the
 * profiler of this driver.
 */
final class ProfilerFunctions extends Functions {

  ProfilerFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuProfilerStart() {
    context();
    gpu().profiler().resume();
    return SUCCESS;
  }

  int cuProfilerStop() {
    context();
    gpu().profiler().stop();
    return SUCCESS;
  }
}
