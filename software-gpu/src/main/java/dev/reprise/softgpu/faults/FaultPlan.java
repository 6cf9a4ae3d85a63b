package dev.reprise.softgpu.faults;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is to go wrong.
 *
 * @param rules the calls that fail; the first rule that meets a call decides
 * @param memoryBytes how much device memory may be in use, at most the capacity; {@link #NO_LIMIT}
 *     for the capacity
 */
public record FaultPlan(List<FaultRule> rules, long memoryBytes) {

  /** No limit of memory but the capacity of the device. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** Nothing goes wrong; installed in a test, it only notes the calls. */
  public static final FaultPlan NONE = new FaultPlan(List.of(), NO_LIMIT);

  /** Refuses a negative limit. */
  public FaultPlan {
    rules = List.copyOf(rules);
    if (memoryBytes < 0) {
      throw new IllegalArgumentException("memory cannot be limited to " + memoryBytes + " bytes");
    }
  }

  /** These calls fail. */
  public static FaultPlan of(FaultRule... rules) {
    return new FaultPlan(List.of(rules), NO_LIMIT);
  }

  /** The same rules with a limit of device memory. */
  public FaultPlan withMemory(long bytes) {
    return new FaultPlan(rules, bytes);
  }

  /**
   * A plan from text: parts separated by semicolons, each one of
   *
   * <pre>
   * function#uses=code        the call answers the code
   * function#uses=code@work   the call succeeds and its work fails
   * memory=bytes              no more device memory than this
   *
   * function   an exported symbol such as cuMemAlloc_v2, or * for all calls together
   * uses       3      the third use
   *            3+     the third and every later one
   *            3-5    the third to the fifth
   * code       CUDA_ERROR_OUT_OF_MEMORY, or its number 2
   * bytes      a whole number, which KiB, MiB or GiB may follow
   * </pre>
   *
   * @throws IllegalArgumentException naming the part that is wrong and what it should be
   */
  public static FaultPlan parse(String text) {
    return FaultPlanParser.parse(text);
  }

  /** The plan as text, from which {@link #parse} makes the same plan. */
  @Override
  public String toString() {
    Stream<String> limit =
        memoryBytes == NO_LIMIT ? Stream.empty() : Stream.of("memory=" + memoryBytes);
    return Stream.concat(rules.stream().map(FaultRule::toString), limit)
        .collect(Collectors.joining("; "));
  }
}
