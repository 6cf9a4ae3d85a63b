package dev.reprise.cli.doctor;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceAttribute;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens each device, asks it for its properties and tries a kernel on it. */
final class DeviceCollector {

  private DeviceCollector() {}

  static List<DeviceFacts> collect(int count) {
    List<DeviceFacts> devices = new ArrayList<>();
    for (int ordinal = 0; ordinal < count; ordinal++) {
      devices.add(collectOne(ordinal));
    }
    return List.copyOf(devices);
  }

  private static DeviceFacts collectOne(int ordinal) {
    Answer<Device> opened = Answer.of(() -> Device.open(ordinal));
    Device device = opened.value();
    if (device == null) {
      return new DeviceFacts(
          ordinal, Map.of(), Map.of(), opened.failureText().orElse("no reason is known"), null);
    }
    Map<DeviceProperty, Object> properties = new EnumMap<>(DeviceProperty.class);
    Map<DeviceProperty, String> failures = new EnumMap<>(DeviceProperty.class);
    for (DeviceProperty property : DeviceProperty.values()) {
      Answer<Object> answer = Answer.of(() -> ask(device, property));
      Object value = answer.value();
      if (value != null) {
        properties.put(property, value);
      } else {
        failures.put(property, answer.failureText().orElse("no answer"));
      }
    }
    String trial = DeviceTrial.failure(device);
    String close = Answer.of(() -> closed(device)).failureText().orElse(null);
    return new DeviceFacts(
        ordinal, properties, failures, null, trial != null ? trial : closing(close));
  }

  private static Object ask(Device device, DeviceProperty property) {
    return switch (property) {
      case NAME -> device.name();
      case COMPUTE_CAPABILITY -> device.computeCapability().toString();
      case MEMORY_TOTAL -> device.totalMemoryBytes();
      case MEMORY_FREE -> device.memoryInfo().freeBytes();
      case MULTIPROCESSORS -> device.multiprocessorCount();
      case CLOCK -> device.attribute(DeviceAttribute.CLOCK_RATE);
      case UUID -> device.uuid();
      case PCI -> pci(device);
      case MANAGED_MEMORY -> has(device, DeviceAttribute.MANAGED_MEMORY);
      case MEMORY_POOLS -> has(device, DeviceAttribute.MEMORY_POOLS_SUPPORTED);
      case VIRTUAL_MEMORY -> has(device, DeviceAttribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
      case COOPERATIVE_LAUNCH -> has(device, DeviceAttribute.COOPERATIVE_LAUNCH);
    };
  }

  private static boolean has(Device device, DeviceAttribute attribute) {
    return device.attribute(attribute) != 0;
  }

  /** As {@code lspci -D} writes it; the function of a GPU is 0. */
  private static String pci(Device device) {
    return String.format(
        Locale.ROOT,
        "%04x:%02x:%02x.0",
        device.attribute(DeviceAttribute.PCI_DOMAIN_ID),
        device.attribute(DeviceAttribute.PCI_BUS_ID),
        device.attribute(DeviceAttribute.PCI_DEVICE_ID));
  }

  private static Boolean closed(Device device) {
    device.close();
    return device.isClosed();
  }

  private static @Nullable String closing(@Nullable String failure) {
    return failure == null ? null : "closing the device: " + failure;
  }
}
