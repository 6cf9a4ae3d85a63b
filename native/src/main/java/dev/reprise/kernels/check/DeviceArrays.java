package dev.reprise.kernels.check;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import dev.reprise.kernels.contract.StatusBit;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Short ways to get arrays to a device and back, and to run launches on them, each waiting until it
 * is done. One thread at a time.
 */
public class DeviceArrays implements AutoCloseable {

  private final Device device;
  private final Stream stream;
  private final List<DeviceBuffer> buffers = new ArrayList<>();

  /** On a device, which stays open when this is closed. */
  public DeviceArrays(Device device) {
    this.device = device;
    this.stream = device.createStream("arrays");
  }

  /** The device. */
  public final Device device() {
    return device;
  }

  /** The stream of all copies and launches. */
  public final Stream stream() {
    return stream;
  }

  /** A buffer of its own, filled with a byte that makes NaN of floats and huge ids of integers. */
  public final Span allocate(long bytes) {
    DeviceBuffer buffer = device.allocate("array-" + buffers.size(), bytes);
    buffers.add(buffer);
    stream.fill8(buffer, 0, bytes, (byte) 0x7f);
    return Span.of(buffer);
  }

  /** A buffer with these values. */
  public final Span floats(float... values) {
    return upload(MemorySegment.ofArray(values));
  }

  /** A buffer with these values. */
  public final Span ints(int... values) {
    return upload(MemorySegment.ofArray(values));
  }

  /** A buffer with these values. */
  public final Span longs(long... values) {
    return upload(MemorySegment.ofArray(values));
  }

  /** A buffer with these values as f16. */
  public final Span halves(float... values) {
    short[] bits = new short[values.length];
    for (int i = 0; i < values.length; i++) {
      bits[i] = Float.floatToFloat16(values[i]);
    }
    return upload(MemorySegment.ofArray(bits));
  }

  /** A buffer with these values in the type of the weights. */
  public final Span weights(WeightType type, float... values) {
    return type == WeightType.F32 ? floats(values) : halves(values);
  }

  /** A buffer for this many f32. */
  public final Span floatsOf(int count) {
    return allocate((long) count * Float.BYTES);
  }

  /** A buffer for this many int32. */
  public final Span intsOf(int count) {
    return allocate((long) count * Integer.BYTES);
  }

  /** A status word without a bit. */
  public final Span status() {
    return ints(0);
  }

  private Span upload(MemorySegment values) {
    Span span = allocate(values.byteSize());
    stream.write(values, span.buffer(), 0);
    return span;
  }

  /** The values of a span. */
  public final float[] floats(Span span) {
    float[] values = new float[Math.toIntExact(span.bytes() / Float.BYTES)];
    stream.read(span.buffer(), span.offset(), MemorySegment.ofArray(values));
    return values;
  }

  /** The values of a span. */
  public final int[] ints(Span span) {
    int[] values = new int[Math.toIntExact(span.bytes() / Integer.BYTES)];
    stream.read(span.buffer(), span.offset(), MemorySegment.ofArray(values));
    return values;
  }

  /** The bits of a status word. */
  public final Set<StatusBit> status(Span span) {
    return StatusBit.decode(ints(span)[0]);
  }

  /** Runs launches in order and waits for them. */
  public final void run(PreparedLaunch... launches) {
    for (PreparedLaunch launch : launches) {
      stream.launch(launch);
    }
    stream.synchronize();
  }

  /** Frees all buffers. */
  public final void freeBuffers() {
    stream.synchronize();
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }

  @Override
  public void close() {
    try {
      freeBuffers();
    } finally {
      stream.close();
    }
  }
}
