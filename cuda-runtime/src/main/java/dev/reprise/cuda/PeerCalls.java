package dev.reprise.cuda;

import dev.reprise.bindings.cuda.CUDA_MEMCPY3D_PEER;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Peer Context Memory Access", and copies between devices. */
final class PeerCalls {

  private PeerCalls() {}

  static void enable(Context context, Context peer) {
    context.makeCurrent();
    int code = cuda_h.cuCtxEnablePeerAccess(peer.handle(), 0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuCtxEnablePeerAccess", "device", context.ordinal(), "peer", peer.ordinal());
    }
  }

  static void disable(Context context, Context peer) {
    context.makeCurrent();
    int code = cuda_h.cuCtxDisablePeerAccess(peer.handle());
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuCtxDisablePeerAccess", "device", context.ordinal(), "peer", peer.ordinal());
    }
  }

  static void copy(
      Context context, MemoryPlace target, MemoryPlace source, long bytes, StreamHandle stream) {
    MemorySegment to = target.handle().context().handle();
    MemorySegment from = source.handle().context().handle();
    context.makeCurrent();
    int code =
        cuda_h.cuMemcpyPeerAsync(
            target.address(), to, source.address(), from, bytes, stream.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuMemcpyPeerAsync",
          "target",
          MemoryCalls.hex(target.address()),
          "targetDevice",
          target.handle().context().ordinal(),
          "source",
          MemoryCalls.hex(source.address()),
          "sourceDevice",
          source.handle().context().ordinal(),
          "bytes",
          bytes,
          "stream",
          stream.label());
    }
  }

  static void copy3D(
      Context context,
      PitchedMemory target,
      PitchedMemory source,
      long rowBytes,
      long rows,
      long slices,
      StreamHandle stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = CUDA_MEMCPY3D_PEER.allocate(arena).fill((byte) 0);
      CUDA_MEMCPY3D_PEER.srcMemoryType(p, cuda_h.CU_MEMORYTYPE_DEVICE());
      CUDA_MEMCPY3D_PEER.srcDevice(p, source.place().address());
      CUDA_MEMCPY3D_PEER.srcContext(p, source.place().handle().context().handle());
      CUDA_MEMCPY3D_PEER.srcPitch(p, source.pitch());
      CUDA_MEMCPY3D_PEER.srcHeight(p, source.rowsPerSlice());
      CUDA_MEMCPY3D_PEER.dstMemoryType(p, cuda_h.CU_MEMORYTYPE_DEVICE());
      CUDA_MEMCPY3D_PEER.dstDevice(p, target.place().address());
      CUDA_MEMCPY3D_PEER.dstContext(p, target.place().handle().context().handle());
      CUDA_MEMCPY3D_PEER.dstPitch(p, target.pitch());
      CUDA_MEMCPY3D_PEER.dstHeight(p, target.rowsPerSlice());
      CUDA_MEMCPY3D_PEER.WidthInBytes(p, rowBytes);
      CUDA_MEMCPY3D_PEER.Height(p, rows);
      CUDA_MEMCPY3D_PEER.Depth(p, slices);
      context.makeCurrent();
      int code = cuda_h.cuMemcpy3DPeerAsync(p, stream.value());
      if (code != Failures.SUCCESS) {
        throw PitchedCalls.failed(
            code, "cuMemcpy3DPeerAsync", target, source, rowBytes, rows, slices, stream);
      }
    }
  }
}
