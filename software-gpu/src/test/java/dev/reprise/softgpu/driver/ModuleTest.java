package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
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

/** Loading modules, their kernels and variables, and attributes of kernels. */
class ModuleTest extends DriverTest {

  private static final int INFO_BUFFER = 3;
  private static final int INFO_SIZE = 4;
  private static final int ERROR_BUFFER = 5;
  private static final int ERROR_SIZE = 6;

  private final MemorySegment log = arena().allocate(4096);
  private int logSize;

  private int load(String ptx) {
    MemorySegment options =
        arena().allocateFrom(JAVA_INT, ERROR_SIZE, INFO_BUFFER, ERROR_BUFFER, INFO_SIZE);
    MemorySegment info = arena().allocate(64);
    MemorySegment values = arena().allocateFrom(JAVA_LONG, 4096, info.address(), log.address(), 64);
    int code =
        cuda_h.cuModuleLoadDataEx(
            arena().allocate(ADDRESS), arena().allocateFrom(ptx), 4, options, values);
    logSize = (int) values.get(JAVA_LONG, 0);
    return code;
  }

  @Test
  void functionsAreFoundByName() {
    MemorySegment module = probe();
    MemorySegment fill = kernel(module, "fill");
    assertThat(kernel(module, "fill")).isEqualTo(fill);
    assertThat(kernel(module, "add")).isNotEqualTo(fill);
    assertThat(out(slot -> cuda_h.cuFuncGetModule(slot, fill))).isEqualTo(module);
    MemorySegment name = out(slot -> cuda_h.cuFuncGetName(slot, fill));
    assertThat(name.reinterpret(16).getString(0)).isEqualTo("fill");
    assertThat(outInt(slot -> cuda_h.cuModuleGetFunctionCount(slot, module))).isEqualTo(8);
    expect(
        Result.NOT_FOUND,
        cuda_h.cuModuleGetFunction(
            arena().allocate(8), module, arena().allocateFrom("no_such_kernel")));
  }

  @Test
  void parametersHaveOffsetsAndSizes() {
    MemorySegment mixed = kernel(probe(), "mixed");
    long[][] expected = {{0, 8}, {8, 1}, {16, 8}, {24, 2}, {32, 8}};
    for (int i = 0; i < expected.length; i++) {
      int index = i;
      MemorySegment size = arena().allocate(JAVA_LONG);
      assertThat(outLong(slot -> cuda_h.cuFuncGetParamInfo(mixed, index, slot, size)))
          .isEqualTo(expected[i][0]);
      assertThat(size.get(JAVA_LONG, 0)).isEqualTo(expected[i][1]);
    }
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuFuncGetParamInfo(mixed, 5, slot, slot));
  }

  @Test
  void attributesTellWhatAKernelNeeds() {
    MemorySegment module = probe();
    MemorySegment bounded = kernel(module, "bounded");
    assertThat(attribute(0, bounded)).isEqualTo(64);
    assertThat(attribute(0, kernel(module, "fill"))).isEqualTo(1024);
    assertThat(attribute(5, bounded)).isEqualTo(90);
    assertThat(attribute(6, bounded)).isEqualTo(90);
    assertThat(attribute(4, bounded)).isPositive();
    assertThat(attribute(8, bounded)).isEqualTo(48 << 10);
    expect(Result.INVALID_VALUE, cuda_h.cuFuncGetAttribute(arena().allocate(4), 99, bounded));
  }

  private int attribute(int number, MemorySegment function) {
    return outInt(slot -> cuda_h.cuFuncGetAttribute(slot, number, function));
  }

  @Test
  void dynamicSharedMemoryCanBeRaisedUpToTheLimit() {
    MemorySegment kernel = kernel(probe(), "reverse");
    ok(cuda_h.cuFuncSetAttribute(kernel, 8, 100 << 10));
    assertThat(attribute(8, kernel)).isEqualTo(100 << 10);
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetAttribute(kernel, 8, 228 << 10));
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetAttribute(kernel, 4, 1));
  }

  @Test
  void occupancyIsBoundByThreadsAndSharedMemory() {
    MemorySegment kernel = kernel(probe(), "fill");
    assertThat(occupancy(kernel, 1024, 0)).isEqualTo(2);
    assertThat(occupancy(kernel, 32, 0)).isEqualTo(32);
    assertThat(occupancy(kernel, 256, 100 << 10)).isEqualTo(2);
    assertThat(occupancy(kernel(probe(), "bounded"), 128, 0)).isZero();
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuOccupancyMaxActiveBlocksPerMultiprocessor(arena().allocate(4), kernel, 0, 0));
  }

  private int occupancy(MemorySegment kernel, int threads, long shared) {
    return outInt(
        slot -> cuda_h.cuOccupancyMaxActiveBlocksPerMultiprocessor(slot, kernel, threads, shared));
  }

  @Test
  void variablesHaveAnAddressAndAValue() {
    MemorySegment module = probe();
    MemorySegment size = arena().allocate(JAVA_LONG);
    long address =
        outLong(slot ->
            cuda_h.cuModuleGetGlobal_v2(slot, size, module, arena().allocateFrom("counter")));
    assertThat(size.get(JAVA_LONG, 0)).isEqualTo(4);
    assertThat(read(address, 1)).containsExactly(5);
    assertThat(outInt(slot -> cuda_h.cuPointerGetAttribute(slot, 2, address))).isEqualTo(2);
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(address));
    expect(
        Result.NOT_FOUND,
        cuda_h.cuModuleGetGlobal_v2(
            arena().allocate(8), size, module, arena().allocateFrom("nothing_here")));
  }

  @Test
  void malformedPtxIsExplainedInTheErrorLog() {
    expect(
        Result.INVALID_PTX,
        load(".version 8.0\n.target sm_75\n.address_size 64\n.entry broken( { ret; }\n"));
    assertThat(log.getString(0)).contains("line 4");
    assertThat(logSize).isEqualTo(log.getString(0).length() + 1);
  }

  @Test
  void aGoodModuleLeavesTheLogEmpty() {
    ok(load(text("probe.ptx")));
    assertThat(log.getString(0)).isEmpty();
  }

  @Test
  void aNewerLanguageOrDeviceIsToldApart() {
    expect(Result.UNSUPPORTED_PTX_VERSION, load(".version 9.9\n.target sm_75\n"));
    assertThat(log.getString(0)).contains("9.9");
    expect(Result.NO_BINARY_FOR_GPU, load(".version 9.0\n.target sm_100a\n"));
    assertThat(log.getString(0)).contains("sm_100");
  }

  @Test
  void machineCodeCannotBeLoaded() {
    MemorySegment elf = arena().allocateFrom(JAVA_INT, 0x464c457f, 0, 0, 0);
    expect(Result.NO_BINARY_FOR_GPU, cuda_h.cuModuleLoadData(arena().allocate(8), elf));
  }

  @Test
  void aModuleCanBeReadFromAFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("probe.ptx"), text("probe.ptx"));
    MemorySegment module =
        out(slot -> cuda_h.cuModuleLoad(slot, arena().allocateFrom(file.toString())));
    kernel(module, "fill");
    expect(
        Result.FILE_NOT_FOUND,
        cuda_h.cuModuleLoad(arena().allocate(8), arena().allocateFrom("/no/such/file")));
  }

  @Test
  void handlesEndWithTheirModule() {
    MemorySegment module = probe();
    MemorySegment fill = kernel(module, "fill");
    ok(cuda_h.cuModuleUnload(module));
    expect(Result.INVALID_HANDLE, cuda_h.cuModuleUnload(module));
    expect(Result.INVALID_HANDLE, cuda_h.cuFuncGetAttribute(arena().allocate(4), 0, fill));
    expect(Result.INVALID_HANDLE, tryLaunch(fill, 1, 1, stream(), 0L, 0, 0));
  }

  @Test
  void modulesCannotBeLoadedInACapture() {
    MemorySegment stream = stream();
    begin(stream, THREAD_LOCAL);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, load(text("probe.ptx")));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void aFatBinaryMayBePtxOnly() {
    MemorySegment text = arena().allocateFrom(text("probe.ptx"));
    ok(cuda_h.cuModuleUnload(out(slot -> cuda_h.cuModuleLoadFatBinary(slot, text))));
    MemorySegment machineCode = arena().allocateFrom(JAVA_INT, 0x466243b1, 1, 0, 0);
    expect(
        Result.NO_BINARY_FOR_GPU, cuda_h.cuModuleLoadFatBinary(arena().allocate(8), machineCode));
  }
}
