package dev.reprise.cli.doctor;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The machine, or the container that this process sees as one.
 *
 * @param os name and version of the operating system
 * @param arch the processor architecture
 * @param processors processors that this process may use
 * @param memoryBytes main memory
 * @param memoryFreeBytes main memory that nothing uses
 * @param nvidia signs of an NVIDIA device that need no driver library
 */
record HostFacts(
    String os,
    String arch,
    int processors,
    long memoryBytes,
    long memoryFreeBytes,
    NvidiaSigns nvidia) {

  static HostFacts collect() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new HostFacts(
        System.getProperty("os.name", "unknown") + " " + System.getProperty("os.version", ""),
        System.getProperty("os.arch", "unknown"),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize(),
        system.getFreeMemorySize(),
        NvidiaSigns.collect());
  }
}
