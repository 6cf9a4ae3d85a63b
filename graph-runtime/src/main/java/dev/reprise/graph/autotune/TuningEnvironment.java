package dev.reprise.graph.autotune;

import dev.reprise.cuda.Device;
import dev.reprise.kernels.Kernels;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What measured times hold for, besides the shape: two devices of one model share them.
 *
 * @param device name, compute capability and multiprocessors
 * @param driver version of the driver
 * @param kernels digest of the kernels
 */
public record TuningEnvironment(String device, String driver, String kernels) {

  /** The one that kernels are loaded in. */
  static TuningEnvironment of(Kernels kernels) {
    Device device = kernels.device();
    return new TuningEnvironment(
        "%s, compute capability %s, %d multiprocessors"
            .formatted(device.name(), device.computeCapability(), device.multiprocessorCount()),
        "CUDA " + device.driverVersion(),
        kernels.digest());
  }

  /** A name for a file, the same for the same environment. */
  String fileName() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(String.join("\0", device, driver, kernels).getBytes(StandardCharsets.UTF_8));
      return "variants-" + HexFormat.of().formatHex(digest, 0, 8) + ".json";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }
}
