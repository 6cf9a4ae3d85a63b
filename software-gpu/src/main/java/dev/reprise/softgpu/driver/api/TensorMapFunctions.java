package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import java.lang.foreign.MemorySegment;

/** Maps of tensors that kernels copy boxes of. */
final class TensorMapFunctions extends Functions {

  private static final int MAP_ALIGNMENT = 64;
  private static final int ADDRESS_ALIGNMENT = 16;
  private static final long MOST_EXTENT = 1L << 32;
  private static final long STRIDE_LIMIT = 1L << 40;
  private static final int MOST_BOX = 256;
  private static final int MOST_STEP = 8;

  /** The last of {@code CUtensorMapDataType}. */
  private static final int LAST_TYPE = 15;

  private static final int LAST_INTERLEAVE = 2;

  /** {@code CU_TENSOR_MAP_SWIZZLE_128B}; behind it come those with larger atoms. */
  private static final int SWIZZLE_128 = 3;

  private static final int LAST_SWIZZLE = 6;
  private static final int LAST_PROMOTION = 3;

  TensorMapFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuTensorMapEncodeTiled(
      MemorySegment tensorMap,
      int dataType,
      int rank,
      MemorySegment globalAddress,
      MemorySegment globalDim,
      MemorySegment globalStrides,
      MemorySegment boxDim,
      MemorySegment elementStrides,
      int interleave,
      int swizzle,
      int l2Promotion,
      int oobFill) {
    context();
    MemorySegment target = map(tensorMap);
    within("data type", dataType, 0, LAST_TYPE);
    within("interleave", interleave, 0, LAST_INTERLEAVE);
    within("swizzle", swizzle, 0, LAST_SWIZZLE);
    within("L2 promotion", l2Promotion, 0, LAST_PROMOTION);
    within("fill", oobFill, 0, 1);
    within("rank", rank, 1, TensorMap.RANKS);
    if (dataType >= TensorElement.values().length) {
      throw CudaFailure.notSupported("tensors of packed, flushed or rounded elements");
    }
    if (interleave != 0 || swizzle > SWIZZLE_128) {
      throw CudaFailure.notSupported("tensors that are interleaved or swizzled by large atoms");
    }
    TensorElement type = TensorElement.values()[dataType];
    if (oobFill == 1 && !type.floating()) {
      throw CudaFailure.invalidValue("elements of " + type + " cannot be NaN");
    }
    long[] extents = new long[rank];
    int[] box = new int[rank];
    int[] steps = new int[rank];
    long dims = CallerMemory.required(globalDim, "globalDim");
    long boxes = CallerMemory.required(boxDim, "boxDim");
    long strideOf = CallerMemory.required(elementStrides, "elementStrides");
    for (int k = 0; k < rank; k++) {
      extents[k] = CallerMemory.readLong(dims + (long) k * Long.BYTES);
      box[k] = CallerMemory.readInt(boxes + (long) k * Integer.BYTES);
      steps[k] = CallerMemory.readInt(strideOf + (long) k * Integer.BYTES);
      within("globalDim[" + k + "]", extents[k], 1, MOST_EXTENT);
      within("boxDim[" + k + "]", box[k], 1, MOST_BOX);
      if (k > 0) {
        within("elementStrides[" + k + "]", steps[k], 1, MOST_STEP);
      }
    }
    long[] strides = strides(rank, globalStrides);
    int row = box[0] * type.bytes();
    int span = swizzle == 0 ? 0 : 16 << swizzle;
    if (row % ADDRESS_ALIGNMENT != 0 || (span != 0 && row > span)) {
      throw CudaFailure.invalidValue(
          "a box whose rows have %d bytes: they must be a multiple of 16%s"
              .formatted(row, span == 0 ? "" : " and " + span + " at most"));
    }
    long address = address(globalAddress);
    new TensorMap(type, address, extents, strides, box, steps, span, oobFill == 1).write(target);
    return SUCCESS;
  }

  private static long[] strides(int rank, MemorySegment globalStrides) {
    long[] strides = new long[rank - 1];
    if (rank > 1) {
      long from = CallerMemory.required(globalStrides, "globalStrides");
      for (int k = 0; k < strides.length; k++) {
        strides[k] = CallerMemory.readLong(from + (long) k * Long.BYTES);
        within("globalStrides[" + k + "]", strides[k], 0, STRIDE_LIMIT - 1);
        if (strides[k] % ADDRESS_ALIGNMENT != 0) {
          throw CudaFailure.invalidValue(
              "globalStrides[%d] of %d bytes, no multiple of 16".formatted(k, strides[k]));
        }
      }
    }
    return strides;
  }

  private static long address(MemorySegment globalAddress) {
    long address = globalAddress.address();
    if (address % ADDRESS_ALIGNMENT != 0) {
      throw CudaFailure.invalidValue("a tensor at 0x%x, no multiple of 16".formatted(address));
    }
    return address;
  }

  private static MemorySegment map(MemorySegment tensorMap) {
    MemorySegment map = CallerMemory.struct(tensorMap, TensorMap.BYTES, "tensorMap");
    if (map.address() % MAP_ALIGNMENT != 0) {
      throw CudaFailure.invalidValue(
          "a tensor map at 0x%x, no multiple of %d".formatted(map.address(), MAP_ALIGNMENT));
    }
    return map;
  }

  private static void within(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw CudaFailure.invalidValue(
          "%s of a tensor map is %s, not %d to %d"
              .formatted(what, Long.toUnsignedString(value), least, most));
    }
  }

  int cuTensorMapReplaceAddress(MemorySegment tensorMap, MemorySegment globalAddress) {
    context();
    MemorySegment target = map(tensorMap);
    TensorMap known = TensorMap.read(target);
    if (known == null) {
      throw CudaFailure.invalidValue("these bytes are no tensor map");
    }
    known.at(address(globalAddress)).write(target);
    return SUCCESS;
  }
}
