package dev.reprise.softgpu.sanitizer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One mistake that the sanitizer found.
 *
 * @param kind what kind of mistake
 * @param what one sentence: what was done to what
 * @param place where in device code; null where no kernel takes part
 * @param address the address in question
 * @param allocation the allocation that it belongs to, or belonged to, or the nearest one; null
 *     where there is none
 * @param stacks where the program called the driver, by role, in the order of {@link Role}; empty
 *     unless stacks are kept
 * @param seed that decided the order, if a simulation was under way
 */
public record Report(
    ReportKind kind,
    String what,
    @Nullable KernelPlace place,
    OptionalLong address,
    @Nullable AllocationPlace allocation,
    Map<Role, CallStack> stacks,
    OptionalLong seed) {

  /** What a call did that a stack belongs to. */
  public enum Role {
    LAUNCH("launched"),
    CAPTURE("captured"),
    OTHER_LAUNCH("the other launched"),
    OTHER_CAPTURE("the other captured"),
    ALLOCATION("allocated"),
    FREE("freed");

    private final String text;

    Role(String text) {
      this.text = text;
    }

    /** As it is written in a report. */
    public String text() {
      return text;
    }
  }

  /**
   * A place in device code.
   *
   * @param kernel its name
   * @param line in the PTX, 0 where it is not known
   * @param source file and line of the source where the PTX has {@code .loc}
   * @param block its index, as {@code (x, y, z)}; null where it is not one block
   * @param thread its index in the block; null where it is not one thread
   */
  public record KernelPlace(
      String kernel,
      int line,
      @Nullable String source,
      @Nullable String block,
      @Nullable String thread) {}

  /**
   * An address relative to an allocation.
   *
   * @param base first address
   * @param size bytes
   * @param what the call that made it
   * @param live false once freed
   * @param offset of the address from the base; negative in front of it, {@code size} or more
   *     behind
   */
  public record AllocationPlace(long base, long size, String what, boolean live, long offset) {}

  /** Copies the stacks. */
  public Report {
    Map<Role, CallStack> copy = new LinkedHashMap<>();
    for (Role role : Role.values()) {
      CallStack stack = stacks.get(role);
      if (stack != null) {
        copy.put(role, stack);
      }
    }
    stacks = java.util.Collections.unmodifiableMap(copy);
  }

  /** A report outside simulations. */
  public Report(
      ReportKind kind,
      String what,
      @Nullable KernelPlace place,
      OptionalLong address,
      @Nullable AllocationPlace allocation,
      Map<Role, CallStack> stacks) {
    this(kind, what, place, address, allocation, stacks, OptionalLong.empty());
  }

  /** The same report, with the seed of a simulation. */
  public Report under(OptionalLong simulated) {
    return new Report(kind, what, place, address, allocation, stacks, simulated);
  }

  /** One block of text for people. */
  public String text() {
    return ReportText.of(this);
  }

  /** One line of JSON. */
  public String json() {
    return ReportJson.of(this);
  }
}
