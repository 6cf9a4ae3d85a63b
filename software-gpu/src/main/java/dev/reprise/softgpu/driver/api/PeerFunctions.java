package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_MEMCPY3D_PEER;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Peer context memory access, and copies between contexts. The devices of this driver can all
 * access each other.
 */
final class PeerFunctions extends Functions {

  PeerFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuDeviceCanAccessPeer(MemorySegment canAccess, int dev, int peerDev) {
    device(dev);
    device(peerDev);
    // A device is no peer of itself.
    CallerMemory.writeInt(canAccess, "canAccessPeer", dev == peerDev ? 0 : 1);
    return SUCCESS;
  }

  int cuDeviceGetP2PAttribute(MemorySegment value, int attribute, int srcDevice, int dstDevice) {
    device(srcDevice);
    device(dstDevice);
    if (srcDevice == dstDevice) {
      throw new CudaFailure(Result.INVALID_DEVICE, srcDevice + " is no peer of itself");
    }
    int answer =
        switch (attribute) {
          // The rank, and access to arrays, of which there are none.
          case 1, 4 -> 0;
          // Access, and atomic operations.
          case 2, 3 -> 1;
          // Some atomic operations only.
          case 5 -> 0;
          default -> throw CudaFailure.invalidValue("peer attribute " + attribute);
        };
    CallerMemory.writeInt(value, "value", answer);
    return SUCCESS;
  }

  int cuCtxEnablePeerAccess(MemorySegment peerContext, int flags) {
    Context context = context();
    Context peer = other(context, peerContext);
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
    gpu().peers().enable(context, peer);
    return SUCCESS;
  }

  /** Waits for the work of the context, which may still access what is cut off. */
  int cuCtxDisablePeerAccess(MemorySegment peerContext) {
    Context context = contextEvenIfPoisoned();
    Context peer = other(context, peerContext);
    gpu().peers().checkEnabled(context, peer);
    guard().checkUnsafe(thread(), "cuCtxDisablePeerAccess");
    context.drain();
    gpu().peers().disable(context, peer);
    return context.result().code();
  }

  private Context other(Context context, MemorySegment peerContext) {
    Context peer = peer(peerContext, "peerContext");
    if (peer == context) {
      throw new CudaFailure(Result.INVALID_CONTEXT, context + " is the current context itself");
    }
    return peer;
  }

  int cuMemcpyPeer(
      long dst, MemorySegment dstContext, long src, MemorySegment srcContext, long bytes) {
    Context context = context();
    guard().checkSynchronousCall(context.legacy(), thread(), "a synchronous copy");
    Context to = peer(dstContext, "dstContext");
    Context from = peer(srcContext, "srcContext");
    return synchronously(context, to, from, line(to, dst, src, bytes));
  }

  int cuMemcpyPeerAsync(
      long dst,
      MemorySegment dstContext,
      long src,
      MemorySegment srcContext,
      long bytes,
      MemorySegment hStream) {
    Stream stream = stream(context(), hStream);
    Context to = peer(dstContext, "dstContext");
    peer(srcContext, "srcContext");
    return inOrder(stream, line(to, dst, src, bytes));
  }

  int cuMemcpy3DPeer(MemorySegment pCopy) {
    Context context = context();
    guard().checkSynchronousCall(context.legacy(), thread(), "a synchronous copy");
    MemorySegment p = CallerMemory.struct(pCopy, CUDA_MEMCPY3D_PEER.sizeof(), "pCopy");
    Context to = boxContext(context, CUDA_MEMCPY3D_PEER.dstContext(p), "dstContext");
    Context from = boxContext(context, CUDA_MEMCPY3D_PEER.srcContext(p), "srcContext");
    return synchronously(context, to, from, NodeParameters.copy3DPeer(to, p));
  }

  int cuMemcpy3DPeerAsync(MemorySegment pCopy, MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    MemorySegment p = CallerMemory.struct(pCopy, CUDA_MEMCPY3D_PEER.sizeof(), "pCopy");
    Context to = boxContext(context, CUDA_MEMCPY3D_PEER.dstContext(p), "dstContext");
    boxContext(context, CUDA_MEMCPY3D_PEER.srcContext(p), "srcContext");
    Copy copy = NodeParameters.copy3DPeer(to, p);
    if (copy.pageable() && !captures().capturing(stream)) {
      stream.submit(copy, List.of()).awaitOnHost();
      return stream.context().result().code();
    }
    return inOrder(stream, copy);
  }

  /** The sides of a box that are not device memory need no context. */
  private Context boxContext(Context current, MemorySegment handle, String argument) {
    return CallerMemory.isNull(handle) ? current : peer(handle, argument);
  }

  /** Behind the work of all three contexts, as the manual says of {@code cuMemcpyPeer}. */
  private static int synchronously(Context context, Context to, Context from, Copy copy) {
    if (!copy.empty()) {
      to.drain();
      from.drain();
      context.legacy().submit(copy, List.of()).awaitOnHost();
    }
    return context.result().code();
  }

  private static int inOrder(Stream stream, Copy copy) {
    if (!copy.empty()) {
      stream.perform(copy);
    }
    return SUCCESS;
  }

  private Copy line(Context to, long dst, long src, long bytes) {
    if (bytes < 0) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(bytes) + " bytes");
    }
    Copy copy =
        Copy.line(
            memory(to),
            Place.line(Place.Kind.DEVICE, dst),
            Place.line(Place.Kind.DEVICE, src),
            bytes);
    if (!copy.empty()) {
      copy.check();
    }
    return copy;
  }

  private Context peer(MemorySegment handle, String argument) {
    @Nullable Context context = handles().find(handle.address(), Context.class);
    if (context == null) {
      throw new CudaFailure(
          Result.INVALID_CONTEXT,
          "%s 0x%x is no live context".formatted(argument, handle.address()));
    }
    return context;
  }
}
