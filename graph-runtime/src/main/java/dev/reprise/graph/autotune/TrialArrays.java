package dev.reprise.graph.autotune;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Span;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Device memory for one shape at a time, and the stream that its variants run on. */
final class TrialArrays implements AutoCloseable {

  /** Random numbers come again after as many bytes; a whole number of both types. */
  private static final int PATTERN_BYTES = 1 << 20;

  private final Device device;
  private final Stream stream;
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private final MemorySegment floats;
  private final MemorySegment halves;

  TrialArrays(Device device) {
    this.device = device;
    this.stream = device.createStream("kernel variants");
    SplittableRandom random = new SplittableRandom(1);
    float[] wide = new float[PATTERN_BYTES / Float.BYTES];
    for (int i = 0; i < wide.length; i++) {
      wide[i] = (float) random.nextDouble(-1, 1);
    }
    short[] narrow = new short[PATTERN_BYTES / Short.BYTES];
    for (int i = 0; i < narrow.length; i++) {
      narrow[i] = Float.floatToFloat16((float) random.nextDouble(-1, 1));
    }
    floats = MemorySegment.ofArray(wide);
    halves = MemorySegment.ofArray(narrow);
  }

  Stream stream() {
    return stream;
  }

  Span allocate(long bytes) {
    DeviceBuffer buffer = device.allocate("variants " + buffers.size(), bytes);
    buffers.add(buffer);
    return Span.of(buffer);
  }

  /** Numbers from -1 to 1, in f16 or f32. */
  Span random(long bytes, boolean half) {
    Span span = allocate(bytes);
    MemorySegment pattern = half ? halves : floats;
    for (long at = 0; at < bytes; at += PATTERN_BYTES) {
      long length = Math.min(PATTERN_BYTES, bytes - at);
      stream.write(pattern.asSlice(0, length), span.buffer(), at);
    }
    return span;
  }

  Span ints(int... values) {
    Span span = allocate((long) values.length * Integer.BYTES);
    stream.write(MemorySegment.ofArray(values), span.buffer(), 0);
    return span;
  }

  /** Makes what a launch writes NaN. */
  void spoil(Span span) {
    stream.fill32(span.buffer(), span.offset(), span.bytes() / Integer.BYTES, 0x7fc00000);
  }

  /** What a span holds now; waits for it. */
  byte[] read(Span span) {
    byte[] bytes = new byte[Math.toIntExact(span.bytes())];
    stream.read(span.buffer(), span.offset(), MemorySegment.ofArray(bytes));
    return bytes;
  }

  /** Frees the arrays of a shape. */
  void free() {
    stream.synchronize();
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }

  @Override
  public void close() {
    try {
      free();
    } finally {
      stream.close();
    }
  }
}
