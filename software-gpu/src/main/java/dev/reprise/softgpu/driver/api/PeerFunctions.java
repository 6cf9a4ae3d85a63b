package dev.reprise.softgpu.driver.api;

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

/** Access between devices, of which there is one: copies between its contexts. */
final class PeerFunctions extends Functions {

  PeerFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuDeviceCanAccessPeer(MemorySegment canAccess, int dev, int peerDev) {
    device(dev);
    device(peerDev);
    // A device is no peer of itself.
    CallerMemory.writeInt(canAccess, "canAccessPeer", 0);
    return SUCCESS;
  }

  int cuMemcpyPeer(
      long dst, MemorySegment dstContext, long src, MemorySegment srcContext, long bytes) {
    Context context = context();
    guard().checkSynchronousCall(context.legacy(), thread(), "a synchronous copy");
    Copy copy = copy(dst, dstContext, src, srcContext, bytes);
    if (!copy.empty()) {
      context.legacy().submit(copy, List.of()).awaitOnHost();
    }
    return context.result().code();
  }

  int cuMemcpyPeerAsync(
      long dst,
      MemorySegment dstContext,
      long src,
      MemorySegment srcContext,
      long bytes,
      MemorySegment hStream) {
    Stream stream = stream(context(), hStream);
    Copy copy = copy(dst, dstContext, src, srcContext, bytes);
    if (!copy.empty()) {
      stream.perform(copy);
    }
    return SUCCESS;
  }

  private Copy copy(
      long dst, MemorySegment dstContext, long src, MemorySegment srcContext, long bytes) {
    Context to = peer(dstContext, "dstContext");
    peer(srcContext, "srcContext");
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
    Context context = handles().find(handle.address(), Context.class);
    if (context == null) {
      throw new CudaFailure(
          Result.INVALID_CONTEXT,
          "%s 0x%x is no live context".formatted(argument, handle.address()));
    }
    return context;
  }
}
