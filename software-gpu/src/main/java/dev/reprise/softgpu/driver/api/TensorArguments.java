package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

/**
 * What callers say of a tensor, checked by the rules that all kinds of maps share (CUDA Driver API,
 * "Tensor Map Object Management"): what breaks one is {@code CUDA_ERROR_INVALID_VALUE}.
 */
final class TensorArguments {
  /** Most elements of a row. */
  static final int MOST_ROW = 256;

  private static final int ALIGNMENT = 16;
  private static final int WIDE_ALIGNMENT = 32;
  private static final long MOST_EXTENT = 1L << 32;
  private static final long STRIDE_LIMIT = 1L << 40;
  private static final int MOST_STEP = 8;
  private static final int ROW_OF_GAPS = 128;
  private static final int LAST_PROMOTION = 3;
  private static final int INTERLEAVE_32 = 2;

  private final TensorElement type;
  private final TensorSwizzle swizzle;
  private final int interleave;
  private final boolean fillsNan;
  private long address;
  private long[] extents = {};
  private long[] strides = {};
  private int[] steps = {};

  /** The properties that are no numbers. */
  TensorArguments(int dataType, int interleave, int swizzle, int l2Promotion, int oobFill) {
    within("data type", dataType, 0, TensorElement.values().length - 1);
    within("interleave", interleave, 0, INTERLEAVE_32);
    within("swizzle", swizzle, 0, TensorSwizzle.values().length - 1);
    within("L2 promotion", l2Promotion, 0, LAST_PROMOTION);
    within("fill", oobFill, 0, 1);
    type = TensorElement.values()[dataType];
    this.swizzle = TensorSwizzle.values()[swizzle];
    this.interleave = interleave;
    fillsNan = oobFill == 1;
    if (fillsNan && !type.floating()) {
      throw CudaFailure.invalidValue("elements of " + type + " cannot be NaN");
    }
    if (interleave == INTERLEAVE_32 && this.swizzle != TensorSwizzle.B32) {
      throw CudaFailure.invalidValue("an interleave of 32 bytes without a swizzle of 32 bytes");
    }
    if (type == TensorElement.U6_GAP_4 && interleave != 0) {
      throw CudaFailure.invalidValue("elements of 6 bits that are interleaved");
    }
    swizzledBy(
        switch (type) {
          case U4_GAP_8 ->
              EnumSet.of(TensorSwizzle.NONE, TensorSwizzle.B128, TensorSwizzle.B128_ATOM_32);
          case U6_GAP_4 ->
              EnumSet.of(
                  TensorSwizzle.NONE,
                  TensorSwizzle.B128,
                  TensorSwizzle.B128_ATOM_32,
                  TensorSwizzle.B128_ATOM_64);
          default -> EnumSet.allOf(TensorSwizzle.class);
        });
  }

  private void swizzledBy(Set<TensorSwizzle> allowed) {
    if (!allowed.contains(swizzle)) {
      throw CudaFailure.invalidValue(
          "the swizzle %s of elements of %s: here it is one of %s"
              .formatted(swizzle, type, allowed));
    }
  }

  /** Only the swizzles of pixels along one dimension. */
  TensorArguments wide() {
    Set<TensorSwizzle> allowed = EnumSet.of(TensorSwizzle.B128, TensorSwizzle.B128_ATOM_32);
    if (!type.gap()) {
      allowed.add(TensorSwizzle.B64);
    }
    swizzledBy(allowed);
    return this;
  }

  /** Reads the tensor. */
  TensorArguments tensor(
      int rank,
      MemorySegment globalAddress,
      MemorySegment globalDim,
      MemorySegment globalStrides,
      MemorySegment elementStrides) {
    boolean wideUnits = interleave == INTERLEAVE_32;
    address = address(globalAddress, type, wideUnits);
    extents = new long[rank];
    steps = new int[rank];
    long dims = CallerMemory.required(globalDim, "globalDim");
    long stepsAt = CallerMemory.required(elementStrides, "elementStrides");
    for (int k = 0; k < rank; k++) {
      extents[k] = CallerMemory.readLong(dims + (long) k * Long.BYTES);
      steps[k] = CallerMemory.readInt(stepsAt + (long) k * Integer.BYTES);
      within("globalDim[" + k + "]", extents[k], 1, MOST_EXTENT);
      if (k > 0 || interleave != 0) {
        within("elementStrides[" + k + "]", steps[k], 1, MOST_STEP);
      }
    }
    multiple("globalDim[0] of " + type, extents[0], type.unit());
    strides = new long[rank - 1];
    long stridesAt = rank == 1 ? 0 : CallerMemory.required(globalStrides, "globalStrides");
    for (int k = 0; k < strides.length; k++) {
      strides[k] = CallerMemory.readLong(stridesAt + (long) k * Long.BYTES);
      String name = "globalStrides[" + k + "]";
      within(name, strides[k], 0, STRIDE_LIMIT - 1);
      multiple(name, strides[k], alignment(type, wideUnits));
    }
    return this;
  }

  int rank() {
    return extents.length;
  }

  /** Checks the elements of a row. */
  void row(String name, int elements) {
    within(name, elements, 1, MOST_ROW);
    if (type.gap() && elements != ROW_OF_GAPS) {
      throw CudaFailure.invalidValue(
          "%s of a tensor map of %s is %d, not %d".formatted(name, type, elements, ROW_OF_GAPS));
    }
    if (interleave == 0) {
      long row = type.bytes(elements);
      if (elements * type.bits() % (ALIGNMENT * Byte.SIZE) != 0) {
        throw CudaFailure.invalidValue(
            "%s is %d, rows of %d bits: they must have a multiple of %d bytes"
                .formatted(name, elements, elements * type.bits(), ALIGNMENT));
      }
      if (swizzle != TensorSwizzle.NONE && row > swizzle.span()) {
        throw CudaFailure.invalidValue(
            "%s is %d, rows of %d bytes: with this swizzle they have %d at most"
                .formatted(name, elements, row, swizzle.span()));
      }
    }
  }

  /** Checks that a box of pixels has some along a dimension. */
  void boxed(int dimension, int lower, int upper) {
    if (extents[dimension] - 1 + upper < lower) {
      throw CudaFailure.invalidValue(
          "a box from %d to %d along dimension %d, which has no pixels"
              .formatted(lower, extents[dimension] - 1 + upper, dimension));
    }
  }

  /** The map, if the software GPU has such. */
  TensorMap map(TensorRegion region) {
    if (interleave != 0) {
      throw CudaFailure.notSupported("tensors that are interleaved");
    }
    return new TensorMap(type, address, extents, strides, steps, region, swizzle, fillsNan);
  }

  /** The address of a tensor, checked. */
  static long address(MemorySegment globalAddress, TensorElement type, boolean wideUnits) {
    multiple("the address", globalAddress.address(), alignment(type, wideUnits));
    return globalAddress.address();
  }

  private static int alignment(TensorElement type, boolean wideUnits) {
    return wideUnits || type.gap() ? WIDE_ALIGNMENT : ALIGNMENT;
  }

  private static void multiple(String what, long value, int unit) {
    if (Long.remainderUnsigned(value, unit) != 0) {
      throw CudaFailure.invalidValue(
          "%s of a tensor map is 0x%x, no multiple of %d".formatted(what, value, unit));
    }
  }

  /** Checks a number. */
  static void within(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw CudaFailure.invalidValue(
          "%s of a tensor map is %d, not %d to %d".formatted(what, value, least, most));
    }
  }
}
