package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.Occupancy;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.KernelCode;
import java.lang.foreign.MemorySegment;

/** Attributes of kernels. */
final class KernelFunctions extends Functions {

  private static final int MAX_DYNAMIC_SHARED = 8;
  private static final int SHARED_CARVEOUT = 9;
  private static final int CLUSTER_MUST_BE_SET = 10;
  private static final int CLUSTER_WIDTH = 11;
  private static final int CLUSTER_HEIGHT = 12;
  private static final int CLUSTER_DEPTH = 13;
  private static final int NON_PORTABLE_CLUSTER = 14;
  private static final int CLUSTER_POLICY = 15;

  /** {@code CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING}. */
  private static final int LAST_CLUSTER_POLICY = 2;

  private static final int LOADED = 1;

  KernelFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuFuncGetAttribute(MemorySegment value, int attribute, MemorySegment hfunc) {
    context();
    KernelFunction function = function(hfunc);
    KernelCode code = function.code();
    int answer =
        switch (attribute) {
          case 0 -> code.maxThreadsPerBlock();
          case 1 -> code.staticSharedBytes();
          case 2, 7 -> 0;
          case CLUSTER_MUST_BE_SET ->
              code.mustNameCluster() || code.requiredCluster() != null ? 1 : 0;
          case CLUSTER_WIDTH, CLUSTER_HEIGHT, CLUSTER_DEPTH ->
              function.requiredCluster(attribute - CLUSTER_WIDTH);
          case NON_PORTABLE_CLUSTER -> function.nonPortableClusters() ? 1 : 0;
          case CLUSTER_POLICY -> function.clusterPolicy();
          case 3 -> code.localBytes();
          case 4 -> Occupancy.registersPerThread(code);
          case 5 -> function.ptxVersion();
          case 6 -> DeviceModel.MAJOR * 10 + DeviceModel.MINOR;
          case MAX_DYNAMIC_SHARED -> function.maxDynamicShared();
          case SHARED_CARVEOUT -> function.sharedCarveout();
          default -> throw CudaFailure.invalidValue("function attribute " + attribute);
        };
    CallerMemory.writeInt(value, "pi", answer);
    return SUCCESS;
  }

  int cuFuncSetAttribute(MemorySegment hfunc, int attribute, int value) {
    context();
    KernelFunction function = function(hfunc);
    switch (attribute) {
      case MAX_DYNAMIC_SHARED -> {
        int most = DeviceModel.SHARED_PER_BLOCK_OPTIN - function.code().staticSharedBytes();
        if (value < 0 || value > most) {
          throw CudaFailure.invalidValue(
              "%d bytes of dynamic shared memory for %s; at most %d fit"
                  .formatted(value, function.code().name(), most));
        }
        function.maxDynamicShared(value);
      }
      case SHARED_CARVEOUT -> {
        if (value < -1 || value > 100) {
          throw CudaFailure.invalidValue("a shared memory carveout of " + value + " percent");
        }
        function.sharedCarveout(value);
      }
      case CLUSTER_WIDTH, CLUSTER_HEIGHT, CLUSTER_DEPTH -> {
        if (function.code().requiredCluster() != null) {
          throw new CudaFailure(
              Result.NOT_PERMITTED,
              "the cluster of %s was fixed when it was compiled".formatted(function.code().name()));
        }
        if (value < 0) {
          throw CudaFailure.invalidValue("a cluster of " + value + " blocks");
        }
        function.requireCluster(attribute - CLUSTER_WIDTH, value);
      }
      case NON_PORTABLE_CLUSTER -> {
        if (value != 0 && value != 1) {
          throw CudaFailure.invalidValue("clusters that are not portable: " + value);
        }
        function.nonPortableClusters(value == 1);
      }
      case CLUSTER_POLICY -> {
        if (value < 0 || value > LAST_CLUSTER_POLICY) {
          throw CudaFailure.invalidValue("the cluster scheduling policy " + value);
        }
        function.clusterPolicy(value);
      }
      default ->
          throw CudaFailure.invalidValue("function attribute " + attribute + " cannot be set");
    }
    return SUCCESS;
  }

  int cuKernelGetAttribute(MemorySegment value, int attribute, MemorySegment kernel, int dev) {
    device(dev);
    return cuFuncGetAttribute(value, attribute, kernel);
  }

  int cuKernelSetAttribute(int attribute, int value, MemorySegment kernel, int dev) {
    device(dev);
    return cuFuncSetAttribute(kernel, attribute, value);
  }

  int cuKernelGetParamInfo(
      MemorySegment kernel, long index, MemorySegment offset, MemorySegment size) {
    return cuFuncGetParamInfo(kernel, index, offset, size);
  }

  int cuFuncGetName(MemorySegment name, MemorySegment hfunc) {
    context();
    CallerMemory.writeLong(name, "name", function(hfunc).nativeName().address());
    return SUCCESS;
  }

  int cuFuncGetModule(MemorySegment hmod, MemorySegment hfunc) {
    context();
    CallerMemory.writeLong(hmod, "hmod", function(hfunc).image().handle());
    return SUCCESS;
  }

  int cuFuncGetParamInfo(
      MemorySegment hfunc, long index, MemorySegment offset, MemorySegment size) {
    context();
    KernelCode code = function(hfunc).code();
    if (index < 0 || index >= code.parameterCount()) {
      throw CudaFailure.invalidValue(
          "parameter %d of %s, which has %d".formatted(index, code.name(), code.parameterCount()));
    }
    CallerMemory.writeLong(offset, "paramOffset", code.parameterOffset((int) index));
    CallerMemory.writeLongIfWanted(size, code.parameterSize((int) index));
    return SUCCESS;
  }

  int cuFuncIsLoaded(MemorySegment state, MemorySegment hfunc) {
    context();
    function(hfunc);
    CallerMemory.writeInt(state, "state", LOADED);
    return SUCCESS;
  }

  int cuFuncLoad(MemorySegment hfunc) {
    context();
    function(hfunc);
    return SUCCESS;
  }
}
