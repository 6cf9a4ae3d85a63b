package dev.reprise.cli.doctor;

/** A property of a device that a diagnosis shows: a text, a whole number, or yes and no. */
enum DeviceProperty {
  NAME("name"),
  COMPUTE_CAPABILITY("compute_capability"),
  MEMORY_TOTAL("memory_total_bytes"),
  MEMORY_FREE("memory_free_bytes"),
  MULTIPROCESSORS("multiprocessors"),
  CLOCK("clock_khz"),
  UUID("uuid"),
  PCI("pci"),
  MANAGED_MEMORY("managed_memory"),
  MEMORY_POOLS("memory_pools"),
  VIRTUAL_MEMORY("virtual_memory"),
  COOPERATIVE_LAUNCH("cooperative_launch");

  private final String key;

  DeviceProperty(String key) {
    this.key = key;
  }

  /** Its name in JSON. */
  String key() {
    return key;
  }
}
