package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native memory of one thread for the out-parameters of driver calls.
 *
 * <p>Contents last until the next driver call of the same thread that has an out-parameter.
 */
final class Scratch {

  private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

  /** 64 bytes for the first out-parameter. */
  final MemorySegment first;

  /** 64 bytes for the second out-parameter. */
  final MemorySegment second;

  private Scratch() {
    MemorySegment all = Arena.ofAuto().allocate(128, 16);
    first = all.asSlice(0, 64);
    second = all.asSlice(64, 64);
  }

  static Scratch get() {
    return OF_THREAD.get();
  }

  int firstInt() {
    return first.get(JAVA_INT, 0);
  }

  long firstLong() {
    return first.get(JAVA_LONG, 0);
  }

  int secondInt() {
    return second.get(JAVA_INT, 0);
  }

  long secondLong() {
    return second.get(JAVA_LONG, 0);
  }

  /** The handle that the driver wrote to the first out-parameter. */
  MemorySegment firstHandle() {
    return MemorySegment.ofAddress(firstLong());
  }
}
