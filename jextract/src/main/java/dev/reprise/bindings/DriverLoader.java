package dev.reprise.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.bindings.DriverLibrary.Outcome;
import dev.reprise.bindings.spi.DriverProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tries the libraries of one choice in order and keeps what each answered. */
final class DriverLoader {

  private static final String NATIVE_ACCESS =
      "start Java with --enable-native-access=dev.reprise.bindings,dev.reprise.cuda,"
          + "dev.reprise.softgpu (or ALL-UNNAMED on the class path)";

  /** {@code CUDA_ERROR_NO_DEVICE}. */
  private static final int NO_DEVICE = 100;

  private final List<Attempt> attempts = new ArrayList<>();

  /** What a driver in this process threw when it was made. */
  private @Nullable Throwable refusal;

  DriverLibrary load(String choice) {
    DriverLibrary library =
        switch (choice) {
          case "auto" -> {
            DriverLibrary cuda = nvidia(true);
            yield cuda != null ? cuda : software();
          }
          case "cuda" -> nvidia(false);
          case "software" -> software();
          default -> library(DriverLibrary.Kind.PATH, choice, false);
        };
    if (library == null) {
      throw new DriverNotFoundException(
          "No CUDA driver for the choice '%s'. Tried %s. Choose with the property %s or the variable %s: auto, cuda, software, or the path of a library."
              .formatted(
                  choice, failures(attempts), DriverLibrary.PROPERTY, DriverLibrary.ENVIRONMENT),
          attempts,
          refusal);
    }
    return library;
  }

  static String failures(List<Attempt> attempts) {
    return attempts.stream()
        .filter(attempt -> attempt.failure() != null)
        .map(attempt -> attempt.what() + " (" + attempt.failure() + ")")
        .collect(Collectors.joining(", "));
  }

  private @Nullable DriverLibrary nvidia(boolean needsDevice) {
    boolean windows = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("win");
    // libcuda.so is a link of the development package; hosts that only run programs lack it.
    for (String name : windows ? List.of("nvcuda.dll") : List.of("libcuda.so.1", "libcuda.so")) {
      DriverLibrary library = library(DriverLibrary.Kind.CUDA, name, needsDevice);
      if (library != null) {
        return library;
      }
    }
    return null;
  }

  private @Nullable DriverLibrary library(
      DriverLibrary.Kind kind, String name, boolean needsDevice) {
    SymbolLookup lookup;
    try {
      lookup =
          kind == DriverLibrary.Kind.PATH
              ? SymbolLookup.libraryLookup(Path.of(name), Arena.global())
              : SymbolLookup.libraryLookup(name, Arena.global());
    } catch (IllegalCallerException e) {
      attempts.add(Attempt.failed(name, Outcome.NO_NATIVE_ACCESS, NATIVE_ACCESS));
      return null;
    } catch (IllegalArgumentException e) {
      attempts.add(Attempt.failed(name, Outcome.NOT_LOADED, "cannot be loaded" + reason(name)));
      return null;
    }
    Optional<MemorySegment> init = lookup.find("cuInit");
    Optional<MemorySegment> count = lookup.find("cuDeviceGetCount");
    Optional<MemorySegment> version = lookup.find("cuDriverGetVersion");
    if (init.isEmpty() || count.isEmpty() || version.isEmpty()) {
      attempts.add(
          Attempt.failed(name, Outcome.NOT_A_DRIVER, "is not a CUDA driver: it exports no cuInit"));
      return null;
    }
    if (needsDevice) {
      int code = invoke(init.get(), FunctionDescriptor.of(JAVA_INT, JAVA_INT), 0);
      if (code != 0) {
        attempts.add(refused(name, code));
        return null;
      }
      int devices = readInt(count.get());
      if (devices <= 0) {
        attempts.add(Attempt.failed(name, Outcome.NO_DEVICE, "has no device"));
        return null;
      }
    }
    attempts.add(Attempt.taken(name));
    int driverVersion = readInt(version.get());
    return new DriverLibrary(
        kind, name, driverVersion, attempts, new NativeEntryPoints(lookup, driverVersion));
  }

  private static String reason(String name) {
    return DynamicLoader.failure(name).map(reason -> ": " + reason).orElse("");
  }

  private static Attempt refused(String name, int code) {
    boolean noDevice = code == NO_DEVICE;
    return new Attempt(
        name,
        noDevice ? Outcome.NO_DEVICE : Outcome.NOT_INITIALISED,
        code,
        "cuInit answers " + code + (noDevice ? ", no device" : ""));
  }

  private @Nullable DriverLibrary software() {
    Optional<DriverProvider> provider;
    try {
      provider = ServiceLoader.load(DriverProvider.class).findFirst();
    } catch (ServiceConfigurationError e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      refusal = why;
      // A provider refuses a setting that it cannot read by this exception, which names it.
      attempts.add(
          Attempt.failed(
              "software GPU",
              Outcome.NOT_STARTED,
              why instanceof IllegalArgumentException
                  ? why.getMessage() + "; correct this setting or remove it"
                  : "cannot be started: " + why));
      return null;
    }
    if (provider.isEmpty()) {
      attempts.add(
          Attempt.failed(
              "software GPU",
              Outcome.NO_SERVICE,
              "reprise-software-gpu is not on the class or module path"));
      return null;
    }
    DriverProvider driver = provider.get();
    attempts.add(Attempt.taken(driver.name()));
    int version = driver.find("cuDriverGetVersion").map(DriverLoader::readInt).orElse(0);
    return new DriverLibrary(
        DriverLibrary.Kind.SOFTWARE, driver.name(), version, attempts, driver::find);
  }

  /** Calls {@code CUresult f(int *)} and gives the number it wrote, or 0 where it fails. */
  private static int readInt(MemorySegment function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_INT);
      int code = invoke(function, FunctionDescriptor.of(JAVA_INT, ADDRESS), out);
      return code == 0 ? out.get(JAVA_INT, 0) : 0;
    }
  }

  private static int invoke(MemorySegment function, FunctionDescriptor type, Object argument) {
    try {
      return (int) Linker.nativeLinker().downcallHandle(function, type).invoke(argument);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall threw a checked exception", e);
    }
  }
}
