package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;

/**
 * What contexts and functions prefer: caches, banks of shared memory, multiprocessors. Values are
 * checked; those of contexts are kept for {@code cuCtxGet*}. None has an effect here.
 */
final class PreferenceFunctions extends Functions {

  private static final int LAST_CACHE_CONFIG = 3;
  private static final int FOUR_BYTE_BANKS = 1;
  private static final int LAST_BANK_CONFIG = 2;
  private static final int AFFINITY_SM_COUNT = 0;

  PreferenceFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuCtxGetCacheConfig(MemorySegment config) {
    CallerMemory.writeInt(config, "pconfig", context().cacheConfig());
    return SUCCESS;
  }

  int cuCtxSetCacheConfig(int config) {
    checkCacheConfig(config);
    context().cacheConfig(config);
    return SUCCESS;
  }

  int cuFuncSetCacheConfig(MemorySegment hfunc, int config) {
    context();
    function(hfunc);
    checkCacheConfig(config);
    return SUCCESS;
  }

  private static void checkCacheConfig(int config) {
    if (config < 0 || config > LAST_CACHE_CONFIG) {
      throw CudaFailure.invalidValue("cache configuration " + config);
    }
  }

  /** The size in use: the banks have four bytes, whatever is preferred. */
  int cuCtxGetSharedMemConfig(MemorySegment config) {
    context();
    CallerMemory.writeInt(config, "pConfig", FOUR_BYTE_BANKS);
    return SUCCESS;
  }

  int cuCtxSetSharedMemConfig(int config) {
    context();
    checkBankConfig(config);
    return SUCCESS;
  }

  int cuFuncSetSharedMemConfig(MemorySegment hfunc, int config) {
    context();
    function(hfunc);
    checkBankConfig(config);
    return SUCCESS;
  }

  private static void checkBankConfig(int config) {
    if (config < 0 || config > LAST_BANK_CONFIG) {
      throw CudaFailure.invalidValue("shared memory configuration " + config);
    }
  }

  int cuCtxResetPersistingL2Cache() {
    context();
    return SUCCESS;
  }

  int cuDeviceGetExecAffinitySupport(MemorySegment supported, int type, int dev) {
    device(dev);
    checkAffinityType(type);
    CallerMemory.writeInt(supported, "pi", 0);
    return SUCCESS;
  }

  int cuCtxGetExecAffinity(MemorySegment affinity, int type) {
    context();
    CallerMemory.required(affinity, "pExecAffinity");
    checkAffinityType(type);
    throw new CudaFailure(
        Result.UNSUPPORTED_EXEC_AFFINITY, "contexts cannot be limited to some multiprocessors");
  }

  private static void checkAffinityType(int type) {
    if (type != AFFINITY_SM_COUNT) {
      throw CudaFailure.invalidValue("there is no execution affinity " + type);
    }
  }
}
