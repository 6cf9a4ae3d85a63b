package dev.reprise.kernels;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.contract.StatusBit;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A device with the kernels on it, and short ways to get arrays there and back. */
final class Gpu implements AutoCloseable {

  /** Every test draws from this seed; set the property to try others. */
  static final long SEED = Long.getLong("reprise.test.seed", 20260101L);

  private final Device device = Device.open(0);
  private final Stream stream = device.createStream("test");
  private final Kernels kernels = Kernels.load(device);
  private final List<DeviceBuffer> buffers = new ArrayList<>();

  Kernels kernels() {
    return kernels;
  }

  Device device() {
    return device;
  }

  static Random random() {
    return new Random(SEED);
  }

  /** A buffer of its own, filled with a byte that makes NaN of floats and huge ids of integers. */
  Span allocate(long bytes) {
    DeviceBuffer buffer = device.allocate("test-" + buffers.size(), bytes);
    buffers.add(buffer);
    stream.fill8(buffer, 0, bytes, (byte) 0x7f);
    return Span.of(buffer);
  }

  Span floats(float... values) {
    return upload(MemorySegment.ofArray(values));
  }

  Span ints(int... values) {
    return upload(MemorySegment.ofArray(values));
  }

  Span longs(long... values) {
    return upload(MemorySegment.ofArray(values));
  }

  Span halves(float... values) {
    short[] bits = new short[values.length];
    for (int i = 0; i < values.length; i++) {
      bits[i] = Float.floatToFloat16(values[i]);
    }
    return upload(MemorySegment.ofArray(bits));
  }

  Span weights(WeightType type, float... values) {
    return type == WeightType.F32 ? floats(values) : halves(values);
  }

  Span floatsOf(int count) {
    return allocate((long) count * Float.BYTES);
  }

  Span intsOf(int count) {
    return allocate((long) count * Integer.BYTES);
  }

  Span status() {
    return ints(0);
  }

  private Span upload(MemorySegment values) {
    Span span = allocate(values.byteSize());
    stream.write(values, span.buffer(), 0);
    return span;
  }

  float[] floats(Span span) {
    float[] values = new float[Math.toIntExact(span.bytes() / Float.BYTES)];
    stream.read(span.buffer(), span.offset(), MemorySegment.ofArray(values));
    return values;
  }

  int[] ints(Span span) {
    int[] values = new int[Math.toIntExact(span.bytes() / Integer.BYTES)];
    stream.read(span.buffer(), span.offset(), MemorySegment.ofArray(values));
    return values;
  }

  Set<StatusBit> status(Span span) {
    return StatusBit.decode(ints(span)[0]);
  }

  void run(PreparedLaunch... launches) {
    for (PreparedLaunch launch : launches) {
      stream.launch(launch);
    }
    stream.synchronize();
  }

  /** Captures the launches into one graph and replays it. */
  void replay(int times, PreparedLaunch... launches) {
    try (Graph graph =
            stream.capture(capture -> {
              for (PreparedLaunch launch : launches) {
                stream.launch(launch);
              }
            });
        GraphExec exec = graph.instantiate()) {
      for (int i = 0; i < times; i++) {
        exec.replay(stream);
      }
      stream.synchronize();
    }
  }

  void freeBuffers() {
    stream.synchronize();
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }

  @Override
  public void close() {
    freeBuffers();
    kernels.close();
    stream.close();
    device.close();
  }

  static float[] uniform(Random random, int count, float least, float most) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = least + (most - least) * random.nextFloat();
    }
    return values;
  }

  /** Values that f16 holds exactly, so that both weight types stand for the same numbers. */
  static float[] halfExact(Random random, int count) {
    float[] values = uniform(random, count, -1, 1);
    for (int i = 0; i < count; i++) {
      values[i] = Float.float16ToFloat(Float.floatToFloat16(values[i]));
    }
    return values;
  }
}
