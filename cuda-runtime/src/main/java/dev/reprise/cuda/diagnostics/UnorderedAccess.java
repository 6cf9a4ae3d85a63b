package dev.reprise.cuda.diagnostics;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Two uses of the same bytes, at least one of them a write, that nothing orders: they may run in
 * either order or at once. Found by {@link AccessCheck}.
 *
 * @param kind what the two do, in the order in which they were issued
 * @param memory the memory
 * @param first the use that was issued first
 * @param second the use that was issued second
 * @param remedy what would order them
 */
public record UnorderedAccess(Kind kind, Memory memory, Use first, Use second, String remedy) {

  /** What the two uses do. */
  public enum Kind {
    /** Both write. */
    WRITE_WRITE,
    /** The first only reads, the second writes. */
    READ_WRITE,
    /** The first writes, the second only reads. */
    WRITE_READ
  }

  /**
   * The memory that is used.
   *
   * @param kind what it is
   * @param label its label
   * @param size its bytes
   * @param creationSite where it was created, when {@link Diagnostics#creationSites} is on
   */
  public record Memory(
      ResourceKind kind, String label, long size, @Nullable Throwable creationSite) {}

  /**
   * One use.
   *
   * @param operation the kernel or the call
   * @param argument the index of the kernel's argument; for a copy 0 is the target and 1 the source
   * @param reads whether it reads
   * @param writes whether it writes
   * @param from the first byte
   * @param to the byte behind the last
   * @param stream the label of the stream; empty for a node that was added to a graph
   * @param site where it was issued; for work of a graph that is replayed the cause is where it was
   *     captured or added
   */
  public record Use(
      String operation,
      int argument,
      boolean reads,
      boolean writes,
      long from,
      long to,
      String stream,
      Throwable site) {

    /** The access, such as {@code write}. */
    public String access() {
      return !writes ? "read" : reads ? "read-write" : "write";
    }

    /** One line. */
    public String describe() {
      return "%s%s, argument %d, %s of bytes %d to %d"
          .formatted(
              operation,
              stream.isEmpty() ? "" : " on stream '" + stream + "'",
              argument,
              access(),
              from,
              to);
    }

    private void describe(String order, StringBuilder text) {
      text.append("  ").append(order).append(": ").append(describe()).append('\n');
      for (Throwable at = site; at != null; at = at.getCause()) {
        if (at != site) {
          text.append("    which was added here\n");
        }
        StackTraceElement[] frames = at.getStackTrace();
        for (int i = 0; i < Math.min(frames.length, FRAMES); i++) {
          text.append("      at ").append(frames[i]).append('\n');
        }
        if (frames.length > FRAMES) {
          text.append("      ... ").append(frames.length - FRAMES).append(" more\n");
        }
      }
    }
  }

  /** Frames of a stack that {@link #describe} prints. */
  private static final int FRAMES = 8;

  /** What was found, both stacks, and what to do, in lines for a log. */
  public String describe() {
    StringBuilder text = new StringBuilder();
    text.append(
        "Unordered %s of %s '%s' (%d bytes):\n"
            .formatted(
                kind.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                memory.kind().typeName(),
                memory.label(),
                memory.size()));
    first.describe("first", text);
    second.describe("second", text);
    return text.append("  ").append(remedy).toString();
  }
}
