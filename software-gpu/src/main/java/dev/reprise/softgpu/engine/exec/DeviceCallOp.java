package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;
import java.util.List;

/**
 * A call of a function that the device provides: {@code vprintf}, {@code malloc}, {@code free} and
 * {@code __assertfail} (CUDA Programming Guide, "Formatted Output", "Dynamic Global Memory
 * Allocation and Operations", "Assertion").
 */
public final class DeviceCallOp extends Op {
  private static final int ASSERT = 710;
  private static final int LAUNCH_FAILED = 719;

  private final String name;
  private final int framePointer;
  private final long[] arguments;
  private final long result;

  /**
   * @param framePointer long array that the places count from, -1 for none
   * @param arguments places in local memory
   * @param result place in local memory, -1 for none
   */
  public DeviceCallOp(String name, int framePointer, List<Long> arguments, long result) {
    this.name = name;
    this.framePointer = framePointer;
    this.arguments = arguments.stream().mapToLong(Long::longValue).toArray();
    this.result = result;
  }

  /** The function that is called. */
  public String function() {
    return name;
  }

  public static boolean provides(String function) {
    return parameters(function) >= 0;
  }

  /** How many arguments the function takes, -1 where it is not provided. */
  public static int parameters(String function) {
    return switch (function) {
      case "vprintf" -> 2;
      case "malloc", "free" -> 1;
      case "__assertfail" -> 5;
      default -> -1;
    };
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      switch (name) {
        case "vprintf" -> {
          String format = GenericMemory.string(w, lane, wide(w, lane, 0), this);
          PrintfArguments values = new PrintfArguments(w, lane, wide(w, lane, 1), this);
          w.block.print(PrintfFormat.apply(format, values));
          give(w, lane, values.count(), false);
        }
        case "malloc" -> give(w, lane, w.block.heap().allocate(wide(w, lane, 0)), true);
        case "free" -> free(w, lane, wide(w, lane, 0));
        default -> throw assertion(w, lane);
      }
    }
  }

  private long place(Warp w, int lane, long offset) {
    return w.block.localOf(w, lane) + (framePointer < 0 ? 0 : w.l[framePointer][lane]) + offset;
  }

  private long wide(Warp w, int lane, int k) {
    return HostMemory.ALL.get(JAVA_LONG_UNALIGNED, place(w, lane, arguments[k]));
  }

  private void give(Warp w, int lane, long value, boolean wide) {
    if (result < 0) {
      return;
    }
    long at = place(w, lane, result);
    if (wide) {
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, at, value);
    } else {
      HostMemory.ALL.set(JAVA_INT_UNALIGNED, at, (int) value);
    }
  }

  private void free(Warp w, int lane, long address) {
    if (address != 0 && !w.block.heap().free(address)) {
      throw new LaneFault(
          LAUNCH_FAILED,
          line,
          lane,
          0,
          String.format(
              "free of 0x%x, which malloc did not give or which was freed before", address));
    }
  }

  /** Message, file, line, function and the size of a character. */
  private LaneFault assertion(Warp w, int lane) {
    String message = GenericMemory.string(w, lane, wide(w, lane, 0), this);
    String file = GenericMemory.string(w, lane, wide(w, lane, 1), this);
    int number = HostMemory.ALL.get(JAVA_INT_UNALIGNED, place(w, lane, arguments[2]));
    String function = GenericMemory.string(w, lane, wide(w, lane, 3), this);
    String text =
        String.format("%s:%d: %s: assertion `%s` failed", file, number, function, message);
    return new LaneFault(ASSERT, line, lane, 0, text);
  }
}
