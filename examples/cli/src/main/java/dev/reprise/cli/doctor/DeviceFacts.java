package dev.reprise.cli.doctor;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One device.
 *
 * @param ordinal its number
 * @param properties what it answered: {@code String}, {@code Integer}, {@code Long} or {@code
 *     Boolean}
 * @param failures why it did not answer the others
 * @param openFailure why it cannot be opened; null when it can
 * @param trialFailure why a kernel does not run on it; null when one ran
 */
record DeviceFacts(
    int ordinal,
    Map<DeviceProperty, Object> properties,
    Map<DeviceProperty, String> failures,
    @Nullable String openFailure,
    @Nullable String trialFailure) {

  /** Whether a kernel ran on it. */
  boolean usable() {
    return openFailure == null && trialFailure == null;
  }

  Optional<Object> property(DeviceProperty property) {
    return Optional.ofNullable(properties.get(property));
  }

  /** Its name, or its number where it does not say. */
  String label() {
    return property(DeviceProperty.NAME)
        .map(name -> "device " + ordinal + ", " + name)
        .orElse("device " + ordinal);
  }
}
