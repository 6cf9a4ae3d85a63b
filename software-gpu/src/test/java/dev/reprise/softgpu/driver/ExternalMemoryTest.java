package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExternalMemoryTest extends DriverTest {

  private static final int OPAQUE_FD = 1;
  private static final int SIZE = 16384;

  @TempDir private Path folder;

  private Path file() throws IOException {
    return Files.write(folder.resolve("memory"), new byte[SIZE]);
  }

  /** A descriptor of a file, to read and to write it. */
  private int open(Path file) {
    Linker linker = Linker.nativeLinker();
    var address = linker.defaultLookup().find("open");
    assumeTrue(address.isPresent() && Files.exists(Path.of("/proc/self/fd")), "needs Linux");
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT);
    try {
      int made =
          (int)
              linker
                  .downcallHandle(address.orElseThrow(), type, Linker.Option.firstVariadicArg(2))
                  .invokeExact(arena().allocateFrom(file.toString()), 2);
      assertThat(made).isNotNegative();
      return made;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private MemorySegment desc(int type, int descriptor, long size) {
    MemorySegment desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC.allocate(arena());
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC.type(desc, type);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st.handle.fd(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle(desc), descriptor);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC.size(desc, size);
    return desc;
  }

  private MemorySegment imported(Path file) {
    MemorySegment desc = desc(OPAQUE_FD, open(file), SIZE);
    return out(slot -> cuda_h.cuImportExternalMemory(slot, desc));
  }

  private MemorySegment range(long offset, long size) {
    MemorySegment desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC.allocate(arena());
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC.offset(desc, offset);
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size(desc, size);
    return desc;
  }

  private long mapped(MemorySegment memory, long offset, long size) {
    MemorySegment range = range(offset, size);
    return outLong(slot -> cuda_h.cuExternalMemoryGetMappedBuffer(slot, memory, range));
  }

  private static int word(Path file, int index) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file))
        .order(ByteOrder.LITTLE_ENDIAN)
        .getInt(4 * index);
  }

  @Test
  void theBytesOfTheFileAreTheMemoryForAllWhoShareIt() throws Exception {
    Path file = file();
    MemorySegment memory = imported(file);
    MemorySegment again = imported(file);
    long whole = mapped(memory, 0, SIZE);
    long part = mapped(again, 4100, 400);
    assertThat(part % 4096).as("as well aligned as the range").isEqualTo(4);
    // Another process writes the file.
    Process other =
        new ProcessBuilder(
                "sh", "-c", "printf '\\007' | dd of=\"$0\" bs=4 seek=2 conv=notrunc", file + "")
            .redirectErrorStream(true)
            .start();
    other.getInputStream().readAllBytes();
    assertThat(other.waitFor()).isZero();
    assertThat(read(whole, 4)).containsExactly(0, 0, 7, 0);
    // A kernel writes it through one mapping, a copy reads it through the other.
    MemorySegment stream = stream();
    launch(kernel(probe(), "fill"), 2, 64, stream, part, 5, 100);
    synchronize(stream);
    int[] all = read(whole, SIZE / 4);
    assertThat(all[1024]).isZero();
    assertThat(java.util.Arrays.copyOfRange(all, 1025, 1125)).containsOnly(5);
    assertThat(all[1125]).isZero();
    assertThat(word(file, 1025)).isEqualTo(5);
    ok(cuda_h.cuDestroyExternalMemory(again));
    // What is mapped stays when the import ends.
    ok(cuda_h.cuMemsetD32_v2(part, 6, 100));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(word(file, 1124)).isEqualTo(6);
    ok(cuda_h.cuMemFree_v2(part));
    ok(cuda_h.cuMemFree_v2(whole));
    ok(cuda_h.cuDestroyExternalMemory(memory));
    expect(Result.INVALID_HANDLE, cuda_h.cuDestroyExternalMemory(memory));
  }

  @Test
  void aKernelStaysInTheRange() throws IOException {
    MemorySegment memory = imported(file());
    long part = mapped(memory, 0, 400);
    MemorySegment stream = stream();
    launch(kernel(probe(), "fill"), 2, 64, stream, part, 5, 101);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void itIsNoMemoryOfTheDevice() throws IOException {
    MemorySegment total = arena().allocate(JAVA_LONG);
    long before = outLong(slot -> cuda_h.cuMemGetInfo_v2(slot, total));
    MemorySegment memory = imported(file());
    long part = mapped(memory, 0, SIZE);
    assertThat(outLong(slot -> cuda_h.cuMemGetInfo_v2(slot, total))).isEqualTo(before);
    ok(cuda_h.cuMemFree_v2(part));
    ok(cuda_h.cuDestroyExternalMemory(memory));
    assertThat(outLong(slot -> cuda_h.cuMemGetInfo_v2(slot, total))).isEqualTo(before);
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(part));
  }

  @Test
  void destroyingItClosesTheDescriptor() throws IOException {
    int descriptor = open(file());
    Path path = Path.of("/proc/self/fd/" + descriptor);
    MemorySegment desc = desc(OPAQUE_FD, descriptor, SIZE);
    MemorySegment memory = out(slot -> cuda_h.cuImportExternalMemory(slot, desc));
    assertThat(Files.exists(path, LinkOption.NOFOLLOW_LINKS)).isTrue();
    ok(cuda_h.cuDestroyExternalMemory(memory));
    assertThat(Files.exists(path, LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void whatCannotBeIsRefused() throws IOException {
    MemorySegment slot = arena().allocate(8);
    int descriptor = open(file());
    for (int type = 2; type <= 8; type++) {
      expect(
          Result.NOT_SUPPORTED, cuda_h.cuImportExternalMemory(slot, desc(type, descriptor, SIZE)));
    }
    for (int type : new int[] {0, 9}) {
      expect(
          Result.INVALID_VALUE, cuda_h.cuImportExternalMemory(slot, desc(type, descriptor, SIZE)));
    }
    for (long size : new long[] {0, -1, SIZE + 1}) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuImportExternalMemory(slot, desc(OPAQUE_FD, descriptor, size)));
    }
    expect(Result.INVALID_VALUE, cuda_h.cuImportExternalMemory(slot, desc(OPAQUE_FD, 999_999, 4)));
    MemorySegment desc = desc(OPAQUE_FD, descriptor, SIZE);
    MemorySegment memory = out(each -> cuda_h.cuImportExternalMemory(each, desc));
    for (long[] range : new long[][] {{0, SIZE + 1}, {4, SIZE}, {-1, 4}, {0, 0}, {SIZE, 1}}) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuExternalMemoryGetMappedBuffer(slot, memory, range(range[0], range[1])));
    }
    expect(
        Result.INVALID_HANDLE, cuda_h.cuExternalMemoryGetMappedBuffer(slot, stream(), range(0, 4)));
    ok(cuda_h.cuDestroyExternalMemory(memory));
  }
}
