package dev.reprise.softgpu.engine.exec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** What {@code cp.reduce.async.bulk} does with elements; each is updated atomically. */
public abstract class BulkReduction implements BulkCopy.Writer {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final int element;

  private BulkReduction(int element) {
    this.element = element;
  }

  @Override
  public final void write(byte[] data, int from, long to, int bytes) {
    for (int k = 0; k < bytes; k += element) {
      update(data, from + k, to + k);
    }
  }

  abstract void update(byte[] data, int from, long to);

  /** On elements of 2 or 4 bytes. */
  public static BulkReduction ofInt(int bytes, AtomicOp.IntUpdate update) {
    return bytes == Short.BYTES
        ? new BulkReduction(bytes) {
          @Override
          void update(byte[] data, int from, long to) {
            int value = Short.toUnsignedInt((short) SHORT.get(data, from));
            AtomicOp.update16(update, to, value, value);
          }
        }
        : new BulkReduction(bytes) {
          @Override
          void update(byte[] data, int from, long to) {
            int value = (int) INT.get(data, from);
            AtomicOp.update32(update, to, value, value);
          }
        };
  }

  /** On elements of 8 bytes. */
  public static BulkReduction ofLong(AtomicOp.LongUpdate update) {
    return new BulkReduction(Long.BYTES) {
      @Override
      void update(byte[] data, int from, long to) {
        long value = (long) LONG.get(data, from);
        AtomicOp.update64(update, to, value, value);
      }
    };
  }
}
