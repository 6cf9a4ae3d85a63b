package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Reads of single lanes at generic addresses, for functions that the device provides. */
final class GenericMemory {
  private static final int LONGEST = 1 << 16;

  private GenericMemory() {}

  /** Native address of {@code bytes} bytes at an address, or 0 where they are not. */
  static long find(Warp w, int lane, long address, int bytes) {
    Block b = w.block;
    if (Windows.in(address, Windows.SHARED)) {
      return within(address - Windows.SHARED, bytes, b.shared, b.sharedBytes);
    }
    if (Windows.in(address, Windows.LOCAL)) {
      return within(address - Windows.LOCAL, bytes, b.localOf(w, lane), b.localBytes);
    }
    if (Windows.in(address, Windows.PARAM)) {
      return within(address - Windows.PARAM, bytes, b.parameters, b.parameterBytes);
    }
    Allocation a = w.memory.find(address);
    return a == null || !a.contains(address, bytes) ? 0 : address - a.base() + a.host();
  }

  private static long within(long at, int bytes, long base, int size) {
    return at <= size - bytes ? base + at : 0;
  }

  /** A C string; a fault of {@code op} where it leaves its memory. */
  static String string(Warp w, int lane, long address, Op op) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (long at = address; bytes.size() < LONGEST; at++) {
      long from = find(w, lane, at, 1);
      if (from == 0) {
        throw new LaneFault(
            700,
            op.line,
            lane,
            at,
            String.format("illegal read of a string at 0x%x (%s)", at, op.text));
      }
      byte b = HostMemory.ALL.get(JAVA_BYTE, from);
      if (b == 0) {
        break;
      }
      bytes.write(b);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
