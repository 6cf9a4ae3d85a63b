package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_MEMCPY2D;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Copies of rows and of slices of rows, and copies between contexts. */
class BoxCopyTest extends DriverTest {

  private static final int HOST = 1;
  private static final int DEVICE = 2;
  private static final int ARRAY = 3;

  private MemorySegment rows(
      long dst, long dstPitch, MemorySegment src, long srcPitch, long width, long height) {
    MemorySegment p = CUDA_MEMCPY2D.allocate(arena());
    CUDA_MEMCPY2D.srcMemoryType(p, HOST);
    CUDA_MEMCPY2D.srcHost(p, src);
    CUDA_MEMCPY2D.srcPitch(p, srcPitch);
    CUDA_MEMCPY2D.dstMemoryType(p, DEVICE);
    CUDA_MEMCPY2D.dstDevice(p, dst);
    CUDA_MEMCPY2D.dstPitch(p, dstPitch);
    CUDA_MEMCPY2D.WidthInBytes(p, width);
    CUDA_MEMCPY2D.Height(p, height);
    return p;
  }

  private byte[] bytes(long address, int count) {
    MemorySegment host = arena().allocate(count);
    ok(cuda_h.cuMemcpyDtoH_v2(host, address, count));
    return host.toArray(JAVA_BYTE);
  }

  @Test
  void rowsGoFromOnePitchToAnother() {
    MemorySegment stream = stream();
    MemorySegment host = pinned(64);
    for (int i = 0; i < 64; i++) {
      host.set(JAVA_BYTE, i, (byte) i);
    }
    long device = device(32);
    ok(cuda_h.cuMemsetD8_v2(device, (byte) -1, 32));
    MemorySegment p = rows(device, 7, host, 16, 3, 4);
    CUDA_MEMCPY2D.srcXInBytes(p, 2);
    CUDA_MEMCPY2D.srcY(p, 0);
    CUDA_MEMCPY2D.dstXInBytes(p, 1);
    ok(cuda_h.cuCtxSynchronize());
    ok(cuda_h.cuMemcpy2DAsync_v2(p, stream));
    synchronize(stream);
    assertThat(bytes(device, 28))
        .containsExactly(
            -1, 2, 3, 4, -1, -1, -1, -1, 18, 19, 20, -1, -1, -1, //
            -1, 34, 35, 36, -1, -1, -1, -1, 50, 51, 52, -1, -1, -1);
  }

  @Test
  void slicesMatchAPlainLoopForAnyShape() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int size = 4096;
    long source = device(size);
    long target = device(size);
    byte[] from = new byte[size];
    for (int round = 0; round < 40; round++) {
      random.nextBytes(from);
      ok(cuda_h.cuMemcpyHtoD_v2(source, arena().allocateFrom(JAVA_BYTE, from), size));
      ok(cuda_h.cuMemsetD8_v2(target, (byte) 0, size));
      int width = 1 + random.nextInt(9);
      int height = 1 + random.nextInt(5);
      int depth = 1 + random.nextInt(4);
      int[] pitch = {width + random.nextInt(9), width + random.nextInt(9)};
      int[] sliceRows = {height + random.nextInt(4), height + random.nextInt(4)};
      int[] start = {random.nextInt(64), random.nextInt(64)};
      MemorySegment p = CUDA_MEMCPY3D.allocate(arena());
      CUDA_MEMCPY3D.srcMemoryType(p, DEVICE);
      CUDA_MEMCPY3D.srcDevice(p, source + start[0]);
      CUDA_MEMCPY3D.srcPitch(p, pitch[0]);
      CUDA_MEMCPY3D.srcHeight(p, sliceRows[0]);
      CUDA_MEMCPY3D.dstMemoryType(p, DEVICE);
      CUDA_MEMCPY3D.dstDevice(p, target + start[1]);
      CUDA_MEMCPY3D.dstPitch(p, pitch[1]);
      CUDA_MEMCPY3D.dstHeight(p, sliceRows[1]);
      CUDA_MEMCPY3D.WidthInBytes(p, width);
      CUDA_MEMCPY3D.Height(p, height);
      CUDA_MEMCPY3D.Depth(p, depth);
      ok(cuda_h.cuMemcpy3D_v2(p));
      byte[] expected = new byte[size];
      for (int z = 0; z < depth; z++) {
        for (int y = 0; y < height; y++) {
          System.arraycopy(
              from,
              start[0] + (z * sliceRows[0] + y) * pitch[0],
              expected,
              start[1] + (z * sliceRows[1] + y) * pitch[1],
              width);
        }
      }
      assertThat(bytes(target, size)).as("seed " + seed).isEqualTo(expected);
    }
  }

  @Test
  void aCapturedCopyOfRowsIsOneNode() {
    MemorySegment stream = stream();
    MemorySegment host = pinned(16);
    long device = device(32);
    host.fill((byte) 3);
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuMemcpy2DAsync_v2(rows(device, 8, host, 4, 4, 4), stream));
    MemorySegment graph = end(stream);
    assertThat(nodes(graph)).hasSize(1);
    assertThat(nodeType(nodes(graph).getFirst())).isEqualTo(cuda_h.CU_GRAPH_NODE_TYPE_MEMCPY());
    ok(cuda_h.cuGraphLaunch(instantiate(graph), stream));
    synchronize(stream);
    assertThat(bytes(device + 24, 4)).containsExactly(3, 3, 3, 3);
  }

  @Test
  void emptyBoxesCopyNothingAndWrongOnesAreRefused() {
    MemorySegment stream = stream();
    MemorySegment host = pinned(16);
    long device = device(32);
    ok(cuda_h.cuMemcpy2DAsync_v2(rows(0, 0, host, 0, 0, 4), stream));
    ok(cuda_h.cuMemcpy2D_v2(rows(device, 8, host, 4, 4, 0)));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpy2D_v2(rows(device, 8, host, 3, 4, 4)));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpy2DUnaligned_v2(rows(device, 8, host, 4, 4, 5)));
    MemorySegment array = rows(device, 8, host, 4, 4, 4);
    CUDA_MEMCPY2D.dstMemoryType(array, ARRAY);
    expect(Result.NOT_SUPPORTED, cuda_h.cuMemcpy2D_v2(array));
  }

  @Test
  void memoryIsCopiedBetweenContextsOfTheDevice() {
    MemorySegment stream = stream();
    long source = ints(1, 2, 3);
    long target = ints(0, 0, 0);
    ok(cuda_h.cuMemcpyPeerAsync(target, context(), source, context(), 8, stream));
    synchronize(stream);
    assertThat(read(target, 3)).containsExactly(1, 2, 0);
    ok(cuda_h.cuMemcpyPeer(target, context(), source, context(), 12));
    assertThat(read(target, 3)).containsExactly(1, 2, 3);
    expect(
        Result.INVALID_CONTEXT,
        cuda_h.cuMemcpyPeer(target, MemorySegment.NULL, source, context(), 12));
    assertThat(outInt(slot -> cuda_h.cuDeviceCanAccessPeer(slot, 0, 0))).isZero();
  }
}
