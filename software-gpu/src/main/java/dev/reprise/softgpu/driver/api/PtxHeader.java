package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directives that say what a PTX text needs.
 *
 * @param version of the PTX language, as 10 × major + minor; 0 when the text does not say
 */
record PtxHeader(int version) {

  private static final int NEWEST_VERSION = 90;
  private static final Pattern VERSION =
      Pattern.compile("^\\s*\\.version\\s+(\\d{1,4})\\.(\\d{1,4})", Pattern.MULTILINE);
  private static final Pattern TARGET =
      Pattern.compile("^\\s*\\.target\\s+sm_(\\d{1,6})", Pattern.MULTILINE);

  /** Reads the directives; refuses a newer language and a device beyond this one. */
  static PtxHeader read(String ptx) {
    Matcher version = VERSION.matcher(ptx);
    int number = 0;
    if (version.find()) {
      number = Integer.parseInt(version.group(1)) * 10 + Integer.parseInt(version.group(2));
      if (number > NEWEST_VERSION) {
        throw new CudaFailure(
            Result.UNSUPPORTED_PTX_VERSION,
            "PTX version %s.%s; this driver knows versions up to 9.0"
                .formatted(version.group(1), version.group(2)));
      }
    }
    Matcher target = TARGET.matcher(ptx);
    int device = DeviceModel.MAJOR * 10 + DeviceModel.MINOR;
    if (target.find() && Integer.parseInt(target.group(1)) > device) {
      throw new CudaFailure(
          Result.NO_BINARY_FOR_GPU,
          "the PTX is for sm_%s; this device is sm_%d".formatted(target.group(1), device));
    }
    return new PtxHeader(number);
  }
}
