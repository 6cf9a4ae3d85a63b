package dev.reprise.cli.bench;

import dev.reprise.graph.decode.CaptureMoment;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.EngineOptions;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A way to decode. */
public enum DecodeArm {
  /** Plain launches, each step read before the next is launched. */
  EAGER(true, 1),
  /** Graph launches, each step read before the next is launched. */
  REPLAYED(false, 1),
  /** Graph launches, the next step launched before the last is read. */
  PIPELINED(false, 2);

  private final boolean eager;
  private final int inFlight;

  DecodeArm(boolean eager, int inFlight) {
    this.eager = eager;
    this.inFlight = inFlight;
  }

  /** Whether decode steps run by plain launches. */
  boolean eager() {
    return eager;
  }

  /** Its name. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  EngineOptions options(DecodeOptions decode, int requests) {
    return EngineOptions.serving(decode.withEager(eager))
        .withInFlight(inFlight)
        .withPrefixReuse(false)
        .withCapture(CaptureMoment.AT_FIRST_USE)
        .withMaxWaiting(requests);
  }

  /**
   * Arms from a list such as {@code eager,pipelined}.
   *
   * @throws IllegalArgumentException naming the flag, the word and what would do
   */
  public static List<DecodeArm> parse(String flag, String text) {
    Set<DecodeArm> arms = new LinkedHashSet<>();
    for (String word : text.split(",", -1)) {
      arms.add(
          Arrays.stream(values())
              .filter(arm -> arm.label().equals(word.strip()))
              .findFirst()
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "%s must be a list of %s; it is \"%s\""
                          .formatted(
                              flag,
                              Arrays.stream(values())
                                  .map(DecodeArm::label)
                                  .collect(Collectors.joining(", ")),
                              text))));
    }
    return List.copyOf(arms);
  }
}
