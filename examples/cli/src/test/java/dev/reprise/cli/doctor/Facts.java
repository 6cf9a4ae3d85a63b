package dev.reprise.cli.doctor;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.bindings.DriverLibrary.Outcome;
import dev.reprise.cli.doctor.DriverFacts.InitFailure;
import dev.reprise.cli.doctor.DriverFacts.Library;
import dev.reprise.cli.doctor.DriverFacts.Origin;
import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Facts of a machine where all is well, and what differs from them. */
final class Facts {

  static final long GIB = 1L << 30;
  static final JavaFacts JAVA =
      new JavaFacts("25.0.1+8", 25, "Some Vendor", "/opt/jdk", 4 * GIB, GIB / 64);
  static final NvidiaSigns NO_SIGNS = new NvidiaSigns(true, false, List.of(), false, false, null);
  static final NvidiaSigns SIGNS =
      new NvidiaSigns(true, true, List.of("/dev/nvidia0"), false, false, null);
  static final NativeAccessFacts ACCESS = access(true);
  static final Attempt NOT_LOADED =
      new Attempt("libcuda.so.1", Outcome.NOT_LOADED, 0, "cannot be loaded: no such file");
  static final Attempt NO_DEVICE =
      new Attempt("libcuda.so.1", Outcome.NO_DEVICE, 100, "cuInit answers 100, no device");
  static final Attempt SOFTWARE = new Attempt("software GPU", Outcome.TAKEN, 0, null);
  static final Attempt CUDA = new Attempt("libcuda.so.1", Outcome.TAKEN, 0, null);

  private Facts() {}

  static HostFacts host(NvidiaSigns signs) {
    return new HostFacts("Linux 6.1", "amd64", 8, 16 * GIB, 8 * GIB, signs);
  }

  static NativeAccessFacts access(boolean enabled) {
    return new NativeAccessFacts(Map.of("dev.reprise.bindings", enabled));
  }

  static EntryPointFacts complete() {
    return new EntryPointFacts(413, List.of());
  }

  static EntryPointFacts lacking(Missing... missing) {
    return new EntryPointFacts(413, List.of(missing));
  }

  static Library cuda(int version, EntryPointFacts entryPoints) {
    return new Library("libcuda.so.1", DriverLibrary.Kind.CUDA, version, entryPoints);
  }

  static Library software(EntryPointFacts entryPoints) {
    return new Library("software GPU", DriverLibrary.Kind.SOFTWARE, 13000, entryPoints);
  }

  static DriverFacts taken(Library library, Attempt... attempts) {
    return new DriverFacts("auto", Origin.DEFAULT, List.of(attempts), library, null, null);
  }

  static DriverFacts takenAndFailing(int code, String text) {
    return new DriverFacts(
        "cuda",
        Origin.FLAG,
        List.of(CUDA),
        cuda(12020, complete()),
        null,
        new InitFailure(code, text));
  }

  static DriverFacts nothing(@Nullable String failure, Attempt... attempts) {
    return new DriverFacts("cuda", Origin.FLAG, List.of(attempts), null, failure, null);
  }

  static Map<DeviceProperty, Object> properties() {
    Map<DeviceProperty, Object> properties = new EnumMap<>(DeviceProperty.class);
    properties.put(DeviceProperty.NAME, "NVIDIA H200");
    properties.put(DeviceProperty.COMPUTE_CAPABILITY, "9.0");
    properties.put(DeviceProperty.MEMORY_TOTAL, 141 * GIB);
    properties.put(DeviceProperty.MEMORY_FREE, 140 * GIB);
    properties.put(DeviceProperty.MULTIPROCESSORS, 132);
    properties.put(DeviceProperty.CLOCK, 1_980_000);
    properties.put(DeviceProperty.UUID, "GPU-1234");
    properties.put(DeviceProperty.PCI, "0000:04:00.0");
    properties.put(DeviceProperty.MANAGED_MEMORY, true);
    properties.put(DeviceProperty.MEMORY_POOLS, true);
    properties.put(DeviceProperty.VIRTUAL_MEMORY, true);
    properties.put(DeviceProperty.COOPERATIVE_LAUNCH, false);
    return properties;
  }

  static DeviceFacts device() {
    return new DeviceFacts(0, properties(), Map.of(), null, null);
  }

  static DeviceFacts failing(String trialFailure) {
    return new DeviceFacts(0, properties(), Map.of(), null, trialFailure);
  }

  static DeviceFacts closed(String openFailure) {
    return new DeviceFacts(0, Map.of(), Map.of(), openFailure, null);
  }

  /** The diagnosis that these facts lead to. */
  static Diagnosis diagnosis(NvidiaSigns signs, DriverFacts driver, DeviceFacts... devices) {
    HostFacts host = host(signs);
    return new Diagnosis(
        JAVA,
        host,
        ACCESS,
        driver,
        List.of(devices),
        List.of(new SettingFact("REPRISE_X", "a setting", "5", "property")),
        Findings.of(JAVA, host, ACCESS, driver, List.of(devices)));
  }
}
