package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorMode;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import java.lang.foreign.MemorySegment;

/**
 * Maps of tensors that kernels copy parts of (CUDA Driver API, "Tensor Map Object Management").
 * What is the same for all maps is read by {@link TensorArguments}.
 */
final class TensorMapFunctions extends Functions {

  private static final int MAP_ALIGNMENT = 64;
  private static final int MOST_PIXELS = 1024;

  /** Bits of a corner of a box, for images of one to three dimensions. */
  private static final int[] CORNER_BITS = {16, 8, 5};

  /** {@code CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128}; before it comes {@code W}. */
  private static final int WIDE_128 = 1;

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
    TensorArguments.within("rank", rank, interleave == 0 ? 1 : 3, TensorMap.RANKS);
    TensorArguments a =
        new TensorArguments(dataType, interleave, swizzle, l2Promotion, oobFill)
            .tensor(rank, globalAddress, globalDim, globalStrides, elementStrides);
    long boxes = CallerMemory.required(boxDim, "boxDim");
    int[] box = new int[rank];
    for (int k = 0; k < rank; k++) {
      box[k] = CallerMemory.readInt(boxes + (long) k * Integer.BYTES);
    }
    a.row("boxDim[0]", box[0]);
    for (int k = 1; k < rank; k++) {
      TensorArguments.within("boxDim[" + k + "]", box[k], 1, TensorArguments.MOST_ROW);
    }
    a.map(new TensorRegion.Tile(box)).write(target);
    return SUCCESS;
  }

  /**
   * The corners come with the innermost dimension (W) first, as in all else; the manual lists them
   * as D, H, W, which programs do not keep to.
   */
  int cuTensorMapEncodeIm2col(
      MemorySegment tensorMap,
      int dataType,
      int rank,
      MemorySegment globalAddress,
      MemorySegment globalDim,
      MemorySegment globalStrides,
      MemorySegment pixelBoxLowerCorner,
      MemorySegment pixelBoxUpperCorner,
      int channelsPerPixel,
      int pixelsPerColumn,
      MemorySegment elementStrides,
      int interleave,
      int swizzle,
      int l2Promotion,
      int oobFill) {
    context();
    MemorySegment target = map(tensorMap);
    TensorArguments.within("rank", rank, 1 + TensorMap.NO_PLACE, TensorMap.RANKS);
    TensorArguments a =
        new TensorArguments(dataType, interleave, swizzle, l2Promotion, oobFill)
            .tensor(rank, globalAddress, globalDim, globalStrides, elementStrides);
    a.row("channelsPerPixel", channelsPerPixel);
    TensorArguments.within("pixelsPerColumn", pixelsPerColumn, 1, MOST_PIXELS);
    int[] lower = corner(a, pixelBoxLowerCorner, "pixelBoxLowerCorner");
    int[] upper = corner(a, pixelBoxUpperCorner, "pixelBoxUpperCorner");
    for (int k = 0; k < lower.length; k++) {
      a.boxed(k + 1, lower[k], upper[k]);
    }
    a.map(
            new TensorRegion.Column(
                TensorMode.IM2COL, lower, upper, channelsPerPixel, pixelsPerColumn))
        .write(target);
    return SUCCESS;
  }

  /** Also for devices of capability 9.0, whose instructions know no such copies. */
  int cuTensorMapEncodeIm2colWide(
      MemorySegment tensorMap,
      int dataType,
      int rank,
      MemorySegment globalAddress,
      MemorySegment globalDim,
      MemorySegment globalStrides,
      int pixelBoxLowerCornerWidth,
      int pixelBoxUpperCornerWidth,
      int channelsPerPixel,
      int pixelsPerColumn,
      MemorySegment elementStrides,
      int interleave,
      int mode,
      int swizzle,
      int l2Promotion,
      int oobFill) {
    context();
    MemorySegment target = map(tensorMap);
    TensorArguments.within("rank", rank, 1 + TensorMap.NO_PLACE, TensorMap.RANKS);
    TensorArguments.within("interleave of pixels along W", interleave, 0, 0);
    TensorArguments.within("mode", mode, 0, WIDE_128);
    TensorArguments a =
        new TensorArguments(dataType, interleave, swizzle, l2Promotion, oobFill)
            .wide()
            .tensor(rank, globalAddress, globalDim, globalStrides, elementStrides);
    a.row("channelsPerPixel", channelsPerPixel);
    if (mode != WIDE_128) {
      TensorArguments.within("pixelsPerColumn", pixelsPerColumn, 1, MOST_PIXELS);
    }
    int most = Short.MAX_VALUE;
    int least = Short.MIN_VALUE;
    TensorArguments.within("pixelBoxLowerCornerWidth", pixelBoxLowerCornerWidth, least, most);
    TensorArguments.within("pixelBoxUpperCornerWidth", pixelBoxUpperCornerWidth, least, most);
    a.boxed(1, pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth);
    int[] lower = new int[rank - TensorMap.NO_PLACE];
    int[] upper = lower.clone();
    lower[0] = pixelBoxLowerCornerWidth;
    upper[0] = pixelBoxUpperCornerWidth;
    a.map(
            new TensorRegion.Column(
                mode == WIDE_128 ? TensorMode.IM2COL_W_128 : TensorMode.IM2COL_W,
                lower,
                upper,
                channelsPerPixel,
                mode == WIDE_128 ? 0 : pixelsPerColumn))
        .write(target);
    return SUCCESS;
  }

  private static int[] corner(TensorArguments a, MemorySegment from, String name) {
    long address = CallerMemory.required(from, name);
    int[] corner = new int[a.rank() - TensorMap.NO_PLACE];
    int limit = 1 << CORNER_BITS[corner.length - 1] - 1;
    for (int k = 0; k < corner.length; k++) {
      corner[k] = CallerMemory.readInt(address + (long) k * Integer.BYTES);
      TensorArguments.within(name + "[" + k + "]", corner[k], -limit, limit - 1);
    }
    return corner;
  }

  private static MemorySegment map(MemorySegment tensorMap) {
    MemorySegment map = CallerMemory.struct(tensorMap, TensorMap.BYTES, "tensorMap");
    if (map.address() % MAP_ALIGNMENT != 0) {
      throw CudaFailure.invalidValue(
          "a tensor map at 0x%x, no multiple of %d".formatted(map.address(), MAP_ALIGNMENT));
    }
    return map;
  }

  int cuTensorMapReplaceAddress(MemorySegment tensorMap, MemorySegment globalAddress) {
    context();
    MemorySegment target = map(tensorMap);
    TensorMap known = TensorMap.read(target);
    if (known == null) {
      throw CudaFailure.invalidValue("these bytes are no tensor map");
    }
    known.at(TensorArguments.address(globalAddress, known.type(), false)).write(target);
    return SUCCESS;
  }
}
