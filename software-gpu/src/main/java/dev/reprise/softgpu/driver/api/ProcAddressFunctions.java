package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.DriverSymbol;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/** Driver entry point access: functions by base name and CUDA version. */
final class ProcAddressFunctions extends Functions {

  private static final int FOUND = 0;
  private static final int SYMBOL_NOT_FOUND = 1;
  private static final int VERSION_NOT_SUFFICIENT = 2;
  private static final long LEGACY_STREAM = 1;
  private static final long PER_THREAD_STREAM = 2;

  private final Function<String, Optional<MemorySegment>> entryPoints;
  private final Function<DriverSymbol, String> perThread;

  ProcAddressFunctions(
      SoftwareGpu gpu,
      Function<String, Optional<MemorySegment>> entryPoints,
      Function<DriverSymbol, String> perThread) {
    super(gpu);
    this.entryPoints = entryPoints;
    this.perThread = perThread;
  }

  int cuGetProcAddress(MemorySegment symbol, MemorySegment pfn, int cudaVersion, long flags) {
    return find(symbol, pfn, cudaVersion, flags, MemorySegment.NULL);
  }

  int cuGetProcAddress_v2(
      MemorySegment symbol,
      MemorySegment pfn,
      int cudaVersion,
      long flags,
      MemorySegment symbolStatus) {
    return find(symbol, pfn, cudaVersion, flags, symbolStatus);
  }

  private int find(
      MemorySegment symbol,
      MemorySegment pfn,
      int cudaVersion,
      long flags,
      MemorySegment symbolStatus) {
    String base = CallerMemory.readString(symbol, "symbol");
    CallerMemory.required(pfn, "pfn");
    if (flags != 0 && flags != LEGACY_STREAM && flags != PER_THREAD_STREAM) {
      throw CudaFailure.invalidValue("flags 0x%x".formatted(flags));
    }
    if (cudaVersion > SoftwareGpu.DRIVER_VERSION) {
      throw CudaFailure.invalidValue(
          "version %d; this driver is of version %d"
              .formatted(cudaVersion, SoftwareGpu.DRIVER_VERSION));
    }
    Function<DriverSymbol, String> exported =
        flags == PER_THREAD_STREAM ? perThread : DriverSymbol::exported;
    boolean known = false;
    Optional<MemorySegment> found = Optional.empty();
    for (DriverSymbol candidate :
        DriverSymbol.all().values().stream()
            .filter(driverSymbol -> driverSymbol.base().equals(base))
            .sorted(Comparator.comparingInt(DriverSymbol::version).reversed())
            .toList()) {
      Optional<MemorySegment> address = entryPoints.apply(exported.apply(candidate));
      known |= address.isPresent();
      if (candidate.version() <= cudaVersion) {
        found = address;
        break;
      }
    }
    CallerMemory.writeLong(pfn, "pfn", found.map(MemorySegment::address).orElse(0L));
    CallerMemory.writeIntIfWanted(
        symbolStatus,
        found.isPresent() ? FOUND : known ? VERSION_NOT_SUFFICIENT : SYMBOL_NOT_FOUND);
    return SUCCESS;
  }
}
