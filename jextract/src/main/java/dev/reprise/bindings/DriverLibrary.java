package dev.reprise.bindings;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver library of this process: chosen once, at the first driver call or by {@link
 * #use(String)}, and never changed.
 *
 * <p>The choice is {@code auto}, {@code cuda}, {@code software} or the path of a library, from
 * {@link #use(String)}, else the system property {@value #PROPERTY}, else the environment variable
 * {@value #ENVIRONMENT}, else {@code auto}: NVIDIA's library if it loads, initialises and has a
 * device, otherwise the software GPU, which is said once in the log.
 *
 * <p>Constants, enums and struct layouts of the generated bindings work with no driver at all;
 * nothing is loaded before a function is called. All methods may be called from any thread.
 */
public final class DriverLibrary {

  /** System property that chooses the driver. */
  public static final String PROPERTY = "reprise.driver";

  /** Environment variable that chooses the driver. */
  public static final String ENVIRONMENT = "REPRISE_DRIVER";

  private static final Logger LOG = LoggerFactory.getLogger(DriverLibrary.class);
  private static final Object LOCK = new Object();

  private static volatile @Nullable DriverLibrary current;

  /** What the library is. */
  public enum Kind {
    /** NVIDIA's driver library, found by its standard name. */
    CUDA,
    /** A driver in this process, found as a service. */
    SOFTWARE,
    /** A library named by its path. */
    PATH
  }

  /** What became of one attempt. */
  public enum Outcome {
    /** It is the driver of this process. */
    TAKEN,
    /** The system's loader did not take it. */
    NOT_LOADED,
    /** Java was started without native access for the module that would load it. */
    NO_NATIVE_ACCESS,
    /** It was loaded and lacks the functions of a driver. */
    NOT_A_DRIVER,
    /** {@code cuInit} failed for another reason than the lack of a device. */
    NOT_INITIALISED,
    /** It works and sees no device. */
    NO_DEVICE,
    /** No driver in this process was found as a service. */
    NO_SERVICE,
    /** A driver in this process was found and could not be made, mostly for a bad setting. */
    NOT_STARTED
  }

  /**
   * One place where a driver was looked for.
   *
   * @param what a library name, a path, or {@code software GPU}
   * @param outcome what became of it
   * @param initResult the {@code CUresult} of {@code cuInit}; 0 also where it was not called
   * @param failure why it was not taken; null for the one that was
   */
  public record Attempt(String what, Outcome outcome, int initResult, @Nullable String failure) {

    static Attempt taken(String what) {
      return new Attempt(what, Outcome.TAKEN, 0, null);
    }

    static Attempt failed(String what, Outcome outcome, String failure) {
      return new Attempt(what, outcome, 0, failure);
    }
  }

  private final Kind kind;
  private final String name;
  private final int driverVersion;
  private final List<Attempt> attempts;
  private final EntryPoints entryPoints;

  DriverLibrary(
      Kind kind, String name, int driverVersion, List<Attempt> attempts, EntryPoints entryPoints) {
    this.kind = kind;
    this.name = name;
    this.driverVersion = driverVersion;
    this.attempts = List.copyOf(attempts);
    this.entryPoints = entryPoints;
  }

  /**
   * The library of this process, chosen now if it has not been.
   *
   * @throws DriverNotFoundException if none can be loaded for the choice that was made
   */
  public static DriverLibrary current() {
    DriverLibrary library = current;
    return library != null ? library : choose(DriverSetting.configured().choice());
  }

  /** Whether there is a driver, which is the library of this process from then on. */
  public static boolean isAvailable() {
    return unavailableReason().isEmpty();
  }

  /**
   * Why there is no driver: every place that was tried and what became of it, and what to do.
   * Nothing if there is one, which is the library of this process from then on; where there is
   * none, the next call looks again.
   */
  public static Optional<String> unavailableReason() {
    return failureOf(DriverLibrary::current);
  }

  static Optional<String> failureOf(Supplier<DriverLibrary> choice) {
    try {
      var _ = choice.get();
      return Optional.empty();
    } catch (DriverNotFoundException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Chooses the library of this process before its first use.
   *
   * @param choice {@code auto}, {@code cuda}, {@code software}, or the path of a library
   * @throws IllegalStateException if a library was chosen already, by another choice
   * @throws DriverNotFoundException if none can be loaded for this choice
   */
  public static DriverLibrary use(String choice) {
    synchronized (LOCK) {
      DriverLibrary library = current;
      if (library != null) {
        throw new IllegalStateException(
            "The driver library is already "
                + library.name
                + "; choose another before the first driver call.");
      }
      return choose(choice);
    }
  }

  private static DriverLibrary choose(String choice) {
    synchronized (LOCK) {
      DriverLibrary library = current;
      if (library == null) {
        library = new DriverLoader().load(choice);
        current = library;
        LOG.info("{}", library.describe());
      }
      return library;
    }
  }

  /** How the generated bindings find their symbols. Loads nothing until the first look-up. */
  public static SymbolLookup symbols() {
    return symbol -> {
      try {
        DriverLibrary library = current();
        Optional<MemorySegment> found = library.find(symbol);
        return found.isPresent()
            ? found
            : Optional.of(MissingEntryPoints.marker(() -> library.missing(symbol)));
      } catch (DriverNotFoundException e) {
        // Thrown here it would end the static initialiser of a generated class for good.
        String message = String.valueOf(e.getMessage());
        List<Attempt> tried = e.attempts();
        return Optional.of(
            MissingEntryPoints.marker(
                () -> new DriverNotFoundException(message, tried, e.getCause())));
      }
    };
  }

  /**
   * The method handle of an entry point that {@link #symbols()} gave: a downcall, or for a missing
   * function a handle of the same type that throws {@link MissingEntryPointException} at each call.
   */
  public static MethodHandle downcall(MemorySegment address, FunctionDescriptor descriptor) {
    MethodHandle missing = MissingEntryPoints.handle(address, descriptor);
    return missing != null ? missing : Linker.nativeLinker().downcallHandle(address, descriptor);
  }

  /**
   * The entry point of an exported symbol such as {@code cuMemAlloc_v2}: through {@code
   * cuGetProcAddress} at the version of that ABI where the library has it, then by name.
   */
  public Optional<MemorySegment> find(String symbol) {
    return entryPoints.find(symbol);
  }

  private MissingEntryPointException missing(String symbol) {
    DriverSymbol known = DriverSymbol.all().get(symbol);
    return new MissingEntryPointException(
        symbol, known == null ? 0 : known.version(), driverVersion, name);
  }

  /** What the library is. */
  public Kind kind() {
    return kind;
  }

  /** The name or path that was loaded. */
  public String name() {
    return name;
  }

  /** The CUDA version that the driver supports, as 1000 × major + 10 × minor; 0 if unknown. */
  public int driverVersion() {
    return driverVersion;
  }

  /** Where a driver was looked for, in order; the last one was taken. */
  public List<Attempt> attempts() {
    return attempts;
  }

  /** One line that says what was chosen and what was passed over on the way. */
  public String describe() {
    StringBuilder text = new StringBuilder("CUDA driver: ").append(name);
    if (driverVersion != 0) {
      text.append(" (CUDA ").append(CudaVersion.text(driverVersion)).append(')');
    }
    String passed = DriverLoader.failures(attempts);
    if (!passed.isEmpty()) {
      text.append("; passed over ").append(passed);
    }
    return text.toString();
  }
}
