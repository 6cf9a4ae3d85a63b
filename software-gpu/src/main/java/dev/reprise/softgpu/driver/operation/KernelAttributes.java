package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.engine.Dim3;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a launch asks for beyond its shape: values of {@code CUlaunchAttributeValue} by number.
 * Immutable.
 */
public record KernelAttributes(Map<Integer, ByteBuffer> values) {

  /** Nothing. */
  public static final KernelAttributes NONE = new KernelAttributes(Map.of());

  /** {@code CU_LAUNCH_ATTRIBUTE_COOPERATIVE}. */
  public static final int COOPERATIVE = 2;

  /** {@code CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION}. */
  public static final int CLUSTER = 4;

  /** {@code CU_LAUNCH_ATTRIBUTE_PRIORITY}. */
  public static final int PRIORITY = 8;

  /** {@code CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION}. */
  public static final int PREFERRED_CLUSTER = 11;

  /** {@code sizeof(CUlaunchAttributeValue)}. */
  public static final int BYTES = 64;

  /** These and another, in place of one of the same number. */
  public KernelAttributes with(int id, byte[] value) {
    Map<Integer, ByteBuffer> all = new TreeMap<>(values);
    all.put(id, ByteBuffer.wrap(value.clone()));
    return new KernelAttributes(Map.copyOf(all));
  }

  /** These and a number, which the value begins with. */
  public KernelAttributes with(int id, int number) {
    ByteBuffer value = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
    value.putInt(0, number);
    return with(id, value.array());
  }

  /** The value of an attribute; all zero when it was not set. */
  public byte[] value(int id) {
    byte[] value = new byte[BYTES];
    ByteBuffer set = values.get(id);
    if (set != null) {
      set.duplicate().get(0, value);
    }
    return value;
  }

  /** The number that the value of an attribute begins with. */
  private int number(int id) {
    return ByteBuffer.wrap(value(id)).order(ByteOrder.nativeOrder()).getInt();
  }

  /** True when an attribute was set. */
  public boolean has(int id) {
    return values.containsKey(id);
  }

  /** True when all blocks are to be resident at once. */
  public boolean cooperative() {
    return number(COOPERATIVE) != 0;
  }

  /** Blocks of a cluster; null when none were asked for. */
  public @Nullable Dim3 cluster() {
    return blocks(CLUSTER);
  }

  /** Blocks of the clusters that a device may make instead; null for none. */
  public @Nullable Dim3 preferredCluster() {
    return blocks(PREFERRED_CLUSTER);
  }

  private @Nullable Dim3 blocks(int id) {
    ByteBuffer value = ByteBuffer.wrap(value(id)).order(ByteOrder.nativeOrder());
    int x = value.getInt();
    int y = value.getInt();
    int z = value.getInt();
    if (x == 0 && y == 0 && z == 0) {
      return null;
    }
    if (x < 1 || y < 1 || z < 1) {
      throw LaunchCluster.invalid(
          "clusters of %s x %s x %s blocks"
              .formatted(
                  Integer.toUnsignedString(x),
                  Integer.toUnsignedString(y),
                  Integer.toUnsignedString(z)));
    }
    return new Dim3(x, y, z);
  }

  /** The priority; 0 when none was given. */
  public int priority() {
    return number(PRIORITY);
  }
}
