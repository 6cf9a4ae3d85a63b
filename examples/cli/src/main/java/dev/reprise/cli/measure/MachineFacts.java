package dev.reprise.cli.measure;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cuda.Device;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What was measured on.
 *
 * @param processor the model of the host's processor, or its architecture where it does not tell
 * @param processors processors that this process may use
 * @param os the operating system
 * @param jdk the JDK
 * @param driver the line that says which driver was chosen and why
 * @param device the device, as its driver names it
 * @param softwareDevice whether the device is software, so that times say nothing about a GPU
 */
public record MachineFacts(
    String processor,
    int processors,
    String os,
    String jdk,
    String driver,
    String device,
    boolean softwareDevice) {

  /** Said wherever times of a software device are shown. */
  public static final String SOFTWARE =
      "NO GPU TIMES: these are times of a software GPU on this CPU, and say nothing about a GPU";

  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** Of this process and a device. */
  public static MachineFacts of(Device device) {
    DriverLibrary driver = DriverLibrary.current();
    return new MachineFacts(
        processorName(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name", "unknown") + " " + System.getProperty("os.version", ""),
        System.getProperty("java.vendor", "unknown vendor") + " " + Runtime.version(),
        driver.describe(),
        device.name(),
        driver.kind() == DriverLibrary.Kind.SOFTWARE);
  }

  private static String processorName() {
    String architecture = System.getProperty("os.arch", "unknown");
    if (!Files.isReadable(CPU_INFO)) {
      return architecture;
    }
    try (Stream<String> lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(architecture);
    } catch (IOException e) {
      return architecture + " (" + CPU_INFO + " cannot be read: " + e.getMessage() + ")";
    }
  }

  /** Processes that ran or waited for a processor in the last minute; NaN if the host hides it. */
  public static double load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? Double.NaN : load;
  }

  /** The facts by the names that reports have for them. */
  public Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("device", device);
    facts.put("software_device", softwareDevice);
    facts.put("driver", driver);
    facts.put("processor", processor);
    facts.put("processors", processors);
    facts.put("os", os);
    facts.put("jdk", jdk);
    return facts;
  }

  /** The host in one line, with its load before and after. */
  public String host(double loadBefore, double loadAfter) {
    return String.format(
        Locale.ROOT,
        "%d x %s, %s, %s, load %.1f to %.1f",
        processors,
        processor,
        os,
        jdk,
        loadBefore,
        loadAfter);
  }
}
