package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_MEMCPY3D_BATCH_OP;
import dev.reprise.bindings.cuda.CUmemcpy3DOperand;
import dev.reprise.bindings.cuda.CUmemcpyAttributes;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Many copies in one call. All are checked before the first is begun; they run in stream order, one
 * after the other, which is one of the orders that the manual leaves open.
 */
final class BatchCopyFunctions extends Functions {

  private static final int ORDER_STREAM = 1;
  private static final int ORDER_DURING_CALL = 2;
  private static final int ORDER_ANY = 3;
  private static final int PREFER_OVERLAP = 1;
  private static final int OPERAND_POINTER = 1;
  private static final int OPERAND_ARRAY = 2;

  /** The offset of the pointer, the row length and the height of a layer in an operand. */
  private static final long POINTER = Long.BYTES;

  private static final long ROW_LENGTH = POINTER + Long.BYTES;
  private static final long LAYER_HEIGHT = ROW_LENGTH + Long.BYTES;

  /** One copy, and whether its source is to be read before the call returns. */
  private record Item(Copy copy, boolean duringCall) {}

  /** Makes the copy of an index. */
  private interface Source {
    Item item(int index);
  }

  BatchCopyFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuMemcpyBatchAsync(
      MemorySegment dsts,
      MemorySegment srcs,
      MemorySegment sizes,
      long count,
      MemorySegment attrs,
      MemorySegment attrsIdxs,
      long numAttrs,
      MemorySegment failIdx,
      MemorySegment hStream) {
    return lines(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream);
  }

  int cuMemcpyBatchAsync_v2(
      MemorySegment dsts,
      MemorySegment srcs,
      MemorySegment sizes,
      long count,
      MemorySegment attrs,
      MemorySegment attrsIdxs,
      long numAttrs,
      MemorySegment hStream) {
    return lines(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, MemorySegment.NULL, hStream);
  }

  int cuMemcpy3DBatchAsync(
      long numOps, MemorySegment opList, MemorySegment failIdx, long flags, MemorySegment hStream) {
    return boxes(numOps, opList, failIdx, flags, hStream);
  }

  int cuMemcpy3DBatchAsync_v2(
      long numOps, MemorySegment opList, long flags, MemorySegment hStream) {
    return boxes(numOps, opList, MemorySegment.NULL, flags, hStream);
  }

  private int lines(
      MemorySegment dsts,
      MemorySegment srcs,
      MemorySegment sizes,
      long count,
      MemorySegment attrs,
      MemorySegment attrsIdxs,
      long numAttrs,
      MemorySegment failIdx,
      MemorySegment hStream) {
    Context context = context();
    CallerMemory.writeLongIfWanted(failIdx, -1);
    int copies = count(count);
    long to = CallerMemory.required(dsts, "dsts");
    long from = CallerMemory.required(srcs, "srcs");
    long bytes = CallerMemory.required(sizes, "sizes");
    boolean[] duringCall = orders(attrs, attrsIdxs, numAttrs, copies);
    return submit(
        context,
        hStream,
        copies,
        failIdx,
        i -> {
          long at = (long) i * Long.BYTES;
          Place destination = Place.line(Place.Kind.UNIFIED, CallerMemory.readLong(to + at));
          Place source = Place.line(Place.Kind.UNIFIED, CallerMemory.readLong(from + at));
          long size = CallerMemory.readLong(bytes + at);
          if (size < 0) {
            throw CudaFailure.invalidValue(Long.toUnsignedString(size) + " bytes");
          }
          return new Item(Copy.line(memory(context), destination, source, size), duringCall[i]);
        });
  }

  /** For each copy whether its source is to be read during the call, from the attributes. */
  private static boolean[] orders(
      MemorySegment attrs, MemorySegment attrsIdxs, long numAttrs, int copies) {
    if (numAttrs <= 0 || numAttrs > copies) {
      throw CudaFailure.invalidValue("%d attributes for %d copies".formatted(numAttrs, copies));
    }
    MemorySegment all = CallerMemory.struct(attrs, CUmemcpyAttributes.sizeof() * numAttrs, "attrs");
    long first = CallerMemory.required(attrsIdxs, "attrsIdxs");
    boolean[] duringCall = new boolean[copies];
    long previous = -1;
    for (int k = 0; k < numAttrs; k++) {
      long start = CallerMemory.readLong(first + (long) k * Long.BYTES);
      if ((k == 0 && start != 0) || start <= previous || start >= copies) {
        throw CudaFailure.invalidValue("attrsIdxs[%d] is %d".formatted(k, start));
      }
      previous = start;
      MemorySegment attribute = CUmemcpyAttributes.asSlice(all, k);
      boolean during =
          duringCall(
              CUmemcpyAttributes.srcAccessOrder(attribute), CUmemcpyAttributes.flags(attribute));
      Arrays.fill(duringCall, (int) start, copies, during);
    }
    return duringCall;
  }

  private static boolean duringCall(int order, int flags) {
    if (order != ORDER_STREAM && order != ORDER_DURING_CALL && order != ORDER_ANY) {
      throw CudaFailure.invalidValue("source access order " + order);
    }
    if ((flags & ~PREFER_OVERLAP) != 0) {
      throw CudaFailure.invalidValue("copy flags 0x%x".formatted(flags));
    }
    return order == ORDER_DURING_CALL;
  }

  private int boxes(
      long numOps, MemorySegment opList, MemorySegment failIdx, long flags, MemorySegment hStream) {
    Context context = context();
    CallerMemory.writeLongIfWanted(failIdx, -1);
    int copies = count(numOps);
    MemorySegment all =
        CallerMemory.struct(opList, CUDA_MEMCPY3D_BATCH_OP.sizeof() * copies, "opList");
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags 0x%x; they must be 0".formatted(flags));
    }
    return submit(
        context,
        hStream,
        copies,
        failIdx,
        i -> box(context, CUDA_MEMCPY3D_BATCH_OP.asSlice(all, i)));
  }

  private Item box(Context context, MemorySegment op) {
    MemorySegment extent = CUDA_MEMCPY3D_BATCH_OP.extent(op);
    long width = CallerMemory.readLong(extent.address());
    long height = CallerMemory.readLong(extent.address() + Long.BYTES);
    long depth = CallerMemory.readLong(extent.address() + 2L * Long.BYTES);
    if (width <= 0 || height <= 0 || depth <= 0) {
      throw CudaFailure.invalidValue("a copy of %d x %d x %d".formatted(width, height, depth));
    }
    Place destination = operand(CUDA_MEMCPY3D_BATCH_OP.dst(op), width, height);
    Place source = operand(CUDA_MEMCPY3D_BATCH_OP.src(op), width, height);
    boolean during =
        duringCall(CUDA_MEMCPY3D_BATCH_OP.srcAccessOrder(op), CUDA_MEMCPY3D_BATCH_OP.flags(op));
    return new Item(new Copy(memory(context), destination, source, width, height, depth), during);
  }

  private static Place operand(MemorySegment operand, long width, long height) {
    switch (CUmemcpy3DOperand.type(operand)) {
      case OPERAND_POINTER -> {}
      case OPERAND_ARRAY -> throw CudaFailure.notSupported("a copy of a CUDA array");
      default -> throw CudaFailure.invalidValue("operand type " + CUmemcpy3DOperand.type(operand));
    }
    long row = CallerMemory.readLong(operand.address() + ROW_LENGTH);
    long layer = CallerMemory.readLong(operand.address() + LAYER_HEIGHT);
    if ((row != 0 && row < width) || (layer != 0 && layer < height)) {
      throw CudaFailure.invalidValue(
          "rows of %d and layers of %d for %d x %d".formatted(row, layer, width, height));
    }
    long pitch = row == 0 ? width : row;
    long slice = pitch * (layer == 0 ? height : layer);
    return new Place(
        Place.Kind.UNIFIED, CallerMemory.readLong(operand.address() + POINTER), pitch, slice);
  }

  private static int count(long count) {
    if (count <= 0 || count > Integer.MAX_VALUE) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(count) + " copies");
    }
    return (int) count;
  }

  private int submit(
      Context context, MemorySegment hStream, int copies, MemorySegment failIdx, Source source) {
    Stream stream = stream(context, hStream);
    if (stream.role() == Stream.Role.LEGACY) {
      throw CudaFailure.invalidValue("the legacy default stream takes no batch of copies");
    }
    boolean capturing = captures().capturing(stream);
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < copies; i++) {
      try {
        Item item = source.item(i);
        if (!item.copy().empty()) {
          item.copy().check();
          items.add(item);
        }
      } catch (CudaFailure e) {
        CallerMemory.writeLongIfWanted(failIdx, i);
        throw e;
      }
    }
    boolean waits = false;
    for (Item item : items) {
      stream.perform(item.copy());
      waits |= item.duringCall();
    }
    if (waits && !capturing) {
      stream.tail().awaitOnHost();
      return stream.context().result().code();
    }
    return SUCCESS;
  }
}
