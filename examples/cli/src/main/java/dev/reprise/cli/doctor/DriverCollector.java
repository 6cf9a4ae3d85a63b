package dev.reprise.cli.doctor;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.DriverNotFoundException;
import dev.reprise.bindings.DriverSetting;
import dev.reprise.cli.doctor.DriverFacts.InitFailure;
import dev.reprise.cli.doctor.DriverFacts.Library;
import dev.reprise.cli.doctor.DriverFacts.Origin;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Chooses the driver of this process as any command would, and starts it. */
final class DriverCollector {

  private DriverCollector() {}

  /**
   * What was found.
   *
   * @param facts about the driver
   * @param deviceCount the devices it has; 0 where it does not start
   */
  record Found(DriverFacts facts, int deviceCount) {}

  /**
   * @param flag the value of {@code --driver}
   */
  static Found collect(Optional<String> flag) {
    DriverSetting configured = DriverSetting.configured();
    String choice = flag.orElse(configured.choice());
    Origin origin = flag.isPresent() ? Origin.FLAG : origin(configured);
    Answer<DriverLibrary> chosen =
        Answer.of(() -> flag.map(DriverLibrary::use).orElseGet(DriverLibrary::current));
    DriverLibrary library = chosen.value();
    if (library == null) {
      return new Found(none(choice, origin, chosen.failure()), 0);
    }
    // The functions are looked up first: this works on a driver that does not start.
    Answer<EntryPointFacts> entryPoints =
        Answer.of(() ->
            EntryPointFacts.collect(
                library.driverVersion(), symbol -> library.find(symbol).isPresent()));
    Answer<Integer> count = Answer.of(Device::count);
    Throwable failure = count.failure();
    return new Found(
        new DriverFacts(
            choice,
            origin,
            library.attempts(),
            new Library(
                library.name(),
                library.kind(),
                library.driverVersion(),
                entryPoints.orElse(e -> new EntryPointFacts(0, List.of()))),
            entryPoints
                .failureText()
                .map(text -> "its functions cannot be looked up: " + text)
                .orElse(null),
            failure == null ? null : initFailure(failure)),
        count.orElse(e -> 0));
  }

  private static Origin origin(DriverSetting setting) {
    return switch (setting.origin()) {
      case PROPERTY -> Origin.PROPERTY;
      case ENVIRONMENT -> Origin.ENVIRONMENT;
      case DEFAULT -> Origin.DEFAULT;
    };
  }

  private static DriverFacts none(String choice, Origin origin, @Nullable Throwable failure) {
    return failure instanceof DriverNotFoundException e
        ? new DriverFacts(choice, origin, e.attempts(), null, null, null)
        : new DriverFacts(
            choice,
            origin,
            List.of(),
            null,
            failure == null ? "no reason is known" : Answer.text(failure),
            null);
  }

  private static InitFailure initFailure(Throwable failure) {
    return new InitFailure(failure instanceof CudaException e ? e.code() : 0, Answer.text(failure));
  }
}
