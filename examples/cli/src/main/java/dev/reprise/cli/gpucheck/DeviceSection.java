package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.Table;
import dev.reprise.cli.text.ByteSize;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceAttribute;
import dev.reprise.cuda.MemoryInfo;
import dev.reprise.kernels.Kernels;
import java.util.List;
import java.util.Locale;

/** What the device says of itself, clocks and memory included; the doctor's facts come on top. */
final class DeviceSection implements Section {

  private static final List<DeviceAttribute> ATTRIBUTES =
      List.of(
          DeviceAttribute.MULTIPROCESSOR_COUNT,
          DeviceAttribute.CLOCK_RATE,
          DeviceAttribute.MEMORY_CLOCK_RATE,
          DeviceAttribute.GLOBAL_MEMORY_BUS_WIDTH,
          DeviceAttribute.L2_CACHE_SIZE,
          DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR,
          DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK,
          DeviceAttribute.MAX_REGISTERS_PER_BLOCK,
          DeviceAttribute.ASYNC_ENGINE_COUNT,
          DeviceAttribute.CONCURRENT_KERNELS,
          DeviceAttribute.COMPUTE_MODE,
          DeviceAttribute.ECC_ENABLED,
          DeviceAttribute.INTEGRATED,
          DeviceAttribute.MEMORY_POOLS_SUPPORTED);

  @Override
  public String key() {
    return "device";
  }

  @Override
  public String title() {
    return "Device";
  }

  @Override
  public boolean timed() {
    return false;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    try (Device device = Device.open(0)) {
      MemoryInfo before = device.memoryInfo();
      log.fact("name", "name", device.name());
      log.fact("uuid", "uuid", device.uuid());
      log.fact("compute_capability", "compute capability", device.computeCapability().toString());
      log.fact("driver_version", "CUDA version of the driver", device.driverVersion());
      log.fact("memory_total_bytes", "memory, bytes", before.totalBytes());
      log.fact("memory_free_bytes", "memory free at the start, bytes", before.freeBytes());
      Table table =
          log.table(
              "attributes",
              "Attributes, as CU_DEVICE_ATTRIBUTE_… (clocks in kHz; 0: the driver does not tell)",
              Table.column("attribute", "attribute"),
              Table.column("value", "value"));
      for (DeviceAttribute attribute : ATTRIBUTES) {
        table.add(attribute.name().toLowerCase(Locale.ROOT), device.attribute(attribute));
      }
      try (Kernels kernels = Kernels.load(device)) {
        log.fact("kernels_target", "PTX of the kernels", kernels.target());
        log.fact("kernels_digest", "digest of the kernels", kernels.digest());
      }
      log.headline(
          "%s free of %s, %d multiprocessors"
              .formatted(
                  ByteSize.text(before.freeBytes()),
                  ByteSize.text(before.totalBytes()),
                  device.multiprocessorCount()));
    }
  }
}
