package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_HOST_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUDA_MEMCPY2D;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D_PEER;
import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.graph.ChildGraph;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.Fill;
import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** The parameter structs of graph nodes, read into operations. */
final class NodeParameters {

  private static final int MEMORY_HOST = 1;
  private static final int MEMORY_DEVICE = 2;
  private static final int MEMORY_ARRAY = 3;
  private static final int MEMORY_UNIFIED = 4;

  private NodeParameters() {}

  /** The context of a handle; graph functions answer {@code INVALID_VALUE} for others. */
  static Context context(Functions functions, MemorySegment ctx) {
    functions.gpu().device();
    Context context = functions.handles().find(ctx.address(), Context.class);
    if (context == null) {
      throw CudaFailure.invalidValue("ctx 0x%x is no live context".formatted(ctx.address()));
    }
    context.checkHealthy();
    return context;
  }

  /** A child graph node for a parent, with a copy of the child of its own. */
  static ChildGraph child(Functions functions, MemorySegment hParent, Graph child) {
    if (child == GraphHandles.graph(functions, hParent, "hGraph")) {
      throw CudaFailure.invalidValue(child + " cannot be its own child");
    }
    return new ChildGraph(functions.handles().publish(child.copy()));
  }

  static KernelLaunch kernel(Functions functions, Context context, MemorySegment params) {
    MemorySegment p =
        CallerMemory.struct(params, CUDA_KERNEL_NODE_PARAMS_v2.sizeof(), "nodeParams");
    if (!CallerMemory.isNull(CUDA_KERNEL_NODE_PARAMS_v2.kern(p))) {
      throw CudaFailure.notSupported("a kernel node made from a CUkernel");
    }
    KernelFunction function = functions.function(CUDA_KERNEL_NODE_PARAMS_v2.func(p));
    var shape =
        new LaunchArguments.Shape(
            CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(p),
            CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(p),
            CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(p),
            CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(p),
            CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(p),
            CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(p),
            CUDA_KERNEL_NODE_PARAMS_v2.sharedMemBytes(p));
    return LaunchArguments.prepare(
        context,
        function,
        shape,
        CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(p),
        CUDA_KERNEL_NODE_PARAMS_v2.extra(p));
  }

  /** A copy of rows; it may be empty. */
  static Copy copy2D(Context context, MemorySegment params) {
    MemorySegment p = CallerMemory.struct(params, CUDA_MEMCPY2D.sizeof(), "pCopy");
    Place source =
        place(
            CUDA_MEMCPY2D.srcMemoryType(p),
            CUDA_MEMCPY2D.srcHost(p).address(),
            CUDA_MEMCPY2D.srcDevice(p),
            CUDA_MEMCPY2D.srcXInBytes(p),
            CUDA_MEMCPY2D.srcY(p),
            0,
            CUDA_MEMCPY2D.srcPitch(p),
            0);
    Place destination =
        place(
            CUDA_MEMCPY2D.dstMemoryType(p),
            CUDA_MEMCPY2D.dstHost(p).address(),
            CUDA_MEMCPY2D.dstDevice(p),
            CUDA_MEMCPY2D.dstXInBytes(p),
            CUDA_MEMCPY2D.dstY(p),
            0,
            CUDA_MEMCPY2D.dstPitch(p),
            0);
    return box(
        context, destination, source, CUDA_MEMCPY2D.WidthInBytes(p), CUDA_MEMCPY2D.Height(p), 1);
  }

  /** The copy of a node, which must not be empty. */
  static Copy copy(Context context, MemorySegment params) {
    Copy copy = copy3D(context, params);
    if (copy.empty()) {
      throw CudaFailure.invalidValue(copy.describe());
    }
    return copy;
  }

  /** A copy of slices of rows; it may be empty. */
  static Copy copy3D(Context context, MemorySegment params) {
    MemorySegment p = CallerMemory.struct(params, CUDA_MEMCPY3D.sizeof(), "copyParams");
    Place source =
        place(
            CUDA_MEMCPY3D.srcMemoryType(p),
            CUDA_MEMCPY3D.srcHost(p).address(),
            CUDA_MEMCPY3D.srcDevice(p),
            CUDA_MEMCPY3D.srcXInBytes(p),
            CUDA_MEMCPY3D.srcY(p),
            CUDA_MEMCPY3D.srcZ(p),
            CUDA_MEMCPY3D.srcPitch(p),
            CUDA_MEMCPY3D.srcHeight(p));
    Place destination =
        place(
            CUDA_MEMCPY3D.dstMemoryType(p),
            CUDA_MEMCPY3D.dstHost(p).address(),
            CUDA_MEMCPY3D.dstDevice(p),
            CUDA_MEMCPY3D.dstXInBytes(p),
            CUDA_MEMCPY3D.dstY(p),
            CUDA_MEMCPY3D.dstZ(p),
            CUDA_MEMCPY3D.dstPitch(p),
            CUDA_MEMCPY3D.dstHeight(p));
    return box(
        context,
        destination,
        source,
        CUDA_MEMCPY3D.WidthInBytes(p),
        CUDA_MEMCPY3D.Height(p),
        CUDA_MEMCPY3D.Depth(p));
  }

  /** A copy between contexts, whose destination is in this one; it may be empty. */
  static Copy copy3DPeer(Context to, MemorySegment p) {
    Place source =
        place(
            CUDA_MEMCPY3D_PEER.srcMemoryType(p),
            CUDA_MEMCPY3D_PEER.srcHost(p).address(),
            CUDA_MEMCPY3D_PEER.srcDevice(p),
            CUDA_MEMCPY3D_PEER.srcXInBytes(p),
            CUDA_MEMCPY3D_PEER.srcY(p),
            CUDA_MEMCPY3D_PEER.srcZ(p),
            CUDA_MEMCPY3D_PEER.srcPitch(p),
            CUDA_MEMCPY3D_PEER.srcHeight(p));
    Place destination =
        place(
            CUDA_MEMCPY3D_PEER.dstMemoryType(p),
            CUDA_MEMCPY3D_PEER.dstHost(p).address(),
            CUDA_MEMCPY3D_PEER.dstDevice(p),
            CUDA_MEMCPY3D_PEER.dstXInBytes(p),
            CUDA_MEMCPY3D_PEER.dstY(p),
            CUDA_MEMCPY3D_PEER.dstZ(p),
            CUDA_MEMCPY3D_PEER.dstPitch(p),
            CUDA_MEMCPY3D_PEER.dstHeight(p));
    return box(
        to,
        destination,
        source,
        CUDA_MEMCPY3D_PEER.WidthInBytes(p),
        CUDA_MEMCPY3D_PEER.Height(p),
        CUDA_MEMCPY3D_PEER.Depth(p));
  }

  private static Copy box(
      Context context, Place destination, Place source, long width, long height, long depth) {
    if (width < 0 || height < 0 || depth < 0) {
      throw CudaFailure.invalidValue("a copy of %d x %d x %d".formatted(width, height, depth));
    }
    Copy copy = new Copy(context.device().memory(), destination, source, width, height, depth);
    if (!copy.empty()) {
      checkPitch(source, width, height, depth);
      checkPitch(destination, width, height, depth);
      copy.check();
    }
    return copy;
  }

  /** The struct that makes the same copy. */
  static void write(Copy copy, MemorySegment p) {
    Place source = copy.source();
    Place destination = copy.destination();
    p.fill((byte) 0);
    CUDA_MEMCPY3D.srcMemoryType(p, memoryType(source));
    CUDA_MEMCPY3D.dstMemoryType(p, memoryType(destination));
    if (source.kind() == Place.Kind.HOST) {
      CUDA_MEMCPY3D.srcHost(p, MemorySegment.ofAddress(source.address()));
    } else {
      CUDA_MEMCPY3D.srcDevice(p, source.address());
    }
    if (destination.kind() == Place.Kind.HOST) {
      CUDA_MEMCPY3D.dstHost(p, MemorySegment.ofAddress(destination.address()));
    } else {
      CUDA_MEMCPY3D.dstDevice(p, destination.address());
    }
    CUDA_MEMCPY3D.srcPitch(p, source.pitch());
    CUDA_MEMCPY3D.srcHeight(p, rows(source, copy));
    CUDA_MEMCPY3D.dstPitch(p, destination.pitch());
    CUDA_MEMCPY3D.dstHeight(p, rows(destination, copy));
    CUDA_MEMCPY3D.WidthInBytes(p, copy.width());
    CUDA_MEMCPY3D.Height(p, copy.height());
    CUDA_MEMCPY3D.Depth(p, copy.depth());
  }

  private static int memoryType(Place place) {
    return switch (place.kind()) {
      case HOST -> MEMORY_HOST;
      case DEVICE -> MEMORY_DEVICE;
      case UNIFIED -> MEMORY_UNIFIED;
    };
  }

  private static long rows(Place place, Copy copy) {
    return place.pitch() == 0 ? copy.height() : place.slice() / place.pitch();
  }

  private static Place place(
      int type, long host, long device, long x, long y, long z, long pitch, long height) {
    Place.Kind kind =
        switch (type) {
          case MEMORY_HOST -> Place.Kind.HOST;
          case MEMORY_DEVICE -> Place.Kind.DEVICE;
          case MEMORY_UNIFIED -> Place.Kind.UNIFIED;
          case MEMORY_ARRAY -> throw CudaFailure.notSupported("a copy of a CUDA array");
          default -> throw CudaFailure.invalidValue("memory type " + type);
        };
    // For unified addresses the device member holds the pointer; see CUDA_MEMCPY3D in the manual.
    long start = kind == Place.Kind.HOST ? host : device;
    long slice = pitch * height;
    return new Place(kind, start + x + y * pitch + z * slice, pitch, slice);
  }

  private static void checkPitch(Place place, long width, long height, long depth) {
    if ((height > 1 && place.pitch() < width)
        || (depth > 1 && place.slice() < height * place.pitch())) {
      throw CudaFailure.invalidValue(
          "a pitch of %d and a slice of %d bytes for %d x %d x %d"
              .formatted(place.pitch(), place.slice(), width, height, depth));
    }
  }

  static Fill fill(Context context, MemorySegment params) {
    MemorySegment p = CallerMemory.struct(params, CUDA_MEMSET_NODE_PARAMS.sizeof(), "nodeParams");
    long width = CUDA_MEMSET_NODE_PARAMS.width(p);
    long height = CUDA_MEMSET_NODE_PARAMS.height(p);
    if (width <= 0 || height <= 0) {
      throw CudaFailure.invalidValue("a fill of %d x %d elements".formatted(width, height));
    }
    Place destination =
        new Place(
            Place.Kind.DEVICE, CUDA_MEMSET_NODE_PARAMS.dst(p), CUDA_MEMSET_NODE_PARAMS.pitch(p), 0);
    int elementSize = CUDA_MEMSET_NODE_PARAMS.elementSize(p);
    if (height > 1 && destination.pitch() < width * elementSize) {
      throw CudaFailure.invalidValue(
          "a pitch of %d bytes for rows of %d elements".formatted(destination.pitch(), width));
    }
    Fill fill =
        new Fill(
            context.device().memory(),
            destination,
            CUDA_MEMSET_NODE_PARAMS.value(p),
            elementSize,
            width,
            height);
    fill.check();
    return fill;
  }

  static HostCall host(MemorySegment params) {
    MemorySegment p = CallerMemory.struct(params, CUDA_HOST_NODE_PARAMS.sizeof(), "nodeParams");
    MemorySegment function = CUDA_HOST_NODE_PARAMS.fn(p);
    CallerMemory.required(function, "fn");
    return new HostCall(function, CUDA_HOST_NODE_PARAMS.userData(p));
  }
}
