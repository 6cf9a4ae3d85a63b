package dev.reprise.cli.doctor;

import dev.reprise.bindings.DriverLibrary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver of this process.
 *
 * @param choice {@code auto}, {@code cuda}, {@code software} or a path
 * @param origin where the choice was made
 * @param attempts where a driver was looked for, in order
 * @param library what was taken; null when nothing was
 * @param failure why nothing was taken, where the attempts do not tell
 * @param initFailure why the driver that was taken does not start; null when it does
 */
record DriverFacts(
    String choice,
    Origin origin,
    List<DriverLibrary.Attempt> attempts,
    @Nullable Library library,
    @Nullable String failure,
    @Nullable InitFailure initFailure) {

  /** Where the choice was made. */
  enum Origin {
    FLAG("--driver"),
    PROPERTY("the property " + DriverLibrary.PROPERTY),
    ENVIRONMENT("the variable " + DriverLibrary.ENVIRONMENT),
    DEFAULT("the default");

    private final String text;

    Origin(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * The library that was taken.
   *
   * @param name its name or path
   * @param kind what it is
   * @param version the CUDA version it supports, as 1000 × major + 10 × minor; 0 if unknown
   * @param entryPoints the functions it has
   */
  record Library(String name, DriverLibrary.Kind kind, int version, EntryPointFacts entryPoints) {

    boolean software() {
      return kind == DriverLibrary.Kind.SOFTWARE;
    }
  }

  /**
   * A driver that does not start.
   *
   * @param code the {@code CUresult}; 0 where the call did not get that far
   * @param text the failure in the words of the call
   */
  record InitFailure(int code, String text) {}
}
