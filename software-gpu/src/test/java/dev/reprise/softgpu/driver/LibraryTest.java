package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code that belongs to no context. */
class LibraryTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;

  private MemorySegment library() {
    MemorySegment code = arena().allocateFrom(text("probe.ptx"));
    return out(slot -> cuda_h.cuLibraryLoadData(slot, code, NONE, NONE, 0, NONE, NONE, 0));
  }

  private MemorySegment libraryKernel(MemorySegment library, String name) {
    return out(slot -> cuda_h.cuLibraryGetKernel(slot, library, arena().allocateFrom(name)));
  }

  @Test
  void aKernelIsLaunchedAsItIsAndAsTheFunctionOfTheContext() {
    MemorySegment stream = stream();
    MemorySegment library = library();
    MemorySegment fill = libraryKernel(library, "fill");
    long buffer = ints(0, 0);
    launch(fill, 1, 1, stream, buffer, 3, 1);
    MemorySegment function = out(slot -> cuda_h.cuKernelGetFunction(slot, fill));
    launch(function, 1, 1, stream, buffer + 4, 4, 1);
    synchronize(stream);
    assertThat(read(buffer, 2)).containsExactly(3, 4);
    assertThat(out(slot -> cuda_h.cuKernelGetLibrary(slot, fill))).isEqualTo(library);
    MemorySegment module = out(slot -> cuda_h.cuLibraryGetModule(slot, library));
    assertThat(kernel(module, "fill")).isEqualTo(function);
    MemorySegment name = out(slot -> cuda_h.cuKernelGetName(slot, fill));
    assertThat(name.reinterpret(16).getString(0)).isEqualTo("fill");
    ok(cuda_h.cuLibraryUnload(library));
  }

  @Test
  void kernelsAreCountedAndListed() {
    MemorySegment library = library();
    int count = outInt(slot -> cuda_h.cuLibraryGetKernelCount(slot, library));
    assertThat(count).isEqualTo(8);
    MemorySegment list = arena().allocate(ADDRESS, count);
    ok(cuda_h.cuLibraryEnumerateKernels(list, count, library));
    assertThat(list.getAtIndex(ADDRESS, 0)).isEqualTo(libraryKernel(library, "fill"));
    expect(
        Result.NOT_FOUND,
        cuda_h.cuLibraryGetKernel(arena().allocate(8), library, arena().allocateFrom("none")));
    ok(cuda_h.cuLibraryUnload(library));
  }

  @Test
  void variablesAreThoseThatItsKernelsUse() {
    MemorySegment stream = stream();
    MemorySegment library = library();
    MemorySegment size = arena().allocate(JAVA_LONG);
    long counter =
        outLong(slot ->
            cuda_h.cuLibraryGetGlobal(slot, size, library, arena().allocateFrom("counter")));
    assertThat(size.get(JAVA_LONG, 0)).isEqualTo(4);
    assertThat(read(counter, 1)).containsExactly(5);
    fill(counter, 6, 1, stream);
    long out = ints(0);
    launch(libraryKernel(library, "read_counter"), 1, 1, stream, out);
    synchronize(stream);
    assertThat(read(out, 1)).containsExactly(6);
    ok(cuda_h.cuLibraryUnload(library));
  }

  @Test
  void attributesAreThoseOfTheFunction() {
    MemorySegment library = library();
    MemorySegment reverse = libraryKernel(library, "reverse");
    ok(cuda_h.cuKernelSetAttribute(8, 100_000, reverse, 0));
    MemorySegment function = out(slot -> cuda_h.cuKernelGetFunction(slot, reverse));
    assertThat(outInt(slot -> cuda_h.cuFuncGetAttribute(slot, 8, function))).isEqualTo(100_000);
    assertThat(outInt(slot -> cuda_h.cuKernelGetAttribute(slot, 8, reverse, 0))).isEqualTo(100_000);
    MemorySegment size = arena().allocate(JAVA_LONG);
    assertThat(outLong(slot -> cuda_h.cuKernelGetParamInfo(reverse, 1, slot, size))).isEqualTo(8);
    expect(Result.INVALID_DEVICE, cuda_h.cuKernelGetAttribute(arena().allocate(4), 8, reverse, 1));
    ok(cuda_h.cuLibraryUnload(library));
  }

  @Test
  void anUnloadedLibraryAndItsKernelsAreUnknown() {
    MemorySegment stream = stream();
    MemorySegment library = library();
    MemorySegment fill = libraryKernel(library, "fill");
    MemorySegment module = out(slot -> cuda_h.cuLibraryGetModule(slot, library));
    ok(cuda_h.cuLibraryUnload(library));
    expect(Result.INVALID_HANDLE, cuda_h.cuLibraryUnload(library));
    expect(Result.INVALID_HANDLE, tryLaunch(fill, 1, 1, stream, 0L, 0, 0));
    expect(Result.INVALID_HANDLE, cuda_h.cuModuleUnload(module));
  }

  @Test
  void aLibraryIsReadFromAFileAndWrongCodeIsRefused(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("probe.ptx");
    Files.writeString(file, text("probe.ptx"));
    MemorySegment name = arena().allocateFrom(file.toString());
    MemorySegment library =
        out(slot -> cuda_h.cuLibraryLoadFromFile(slot, name, NONE, NONE, 0, NONE, NONE, 0));
    ok(cuda_h.cuLibraryUnload(library));
    MemorySegment slot = arena().allocate(8);
    MemorySegment wrong = arena().allocateFrom(".version 9.0\n.target sm_75\nnonsense");
    expect(Result.INVALID_PTX, cuda_h.cuLibraryLoadData(slot, wrong, NONE, NONE, 0, NONE, NONE, 0));
    MemorySegment missing = arena().allocateFrom(folder.resolve("none").toString());
    expect(
        Result.FILE_NOT_FOUND,
        cuda_h.cuLibraryLoadFromFile(slot, missing, NONE, NONE, 0, NONE, NONE, 0));
  }
}
