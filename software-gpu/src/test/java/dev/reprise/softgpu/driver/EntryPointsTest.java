package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.DriverSymbol;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.junit.jupiter.api.Test;

class EntryPointsTest {

  private final EntryPoints entryPoints =
      new EntryPoints(new SoftwareGpu(DeviceModel.of(1, 1 << 20)));

  @Test
  void theSoftwareGpuIsTheDriverOfTheseTests() {
    assertThat(DriverLibrary.current().kind()).isEqualTo(DriverLibrary.Kind.SOFTWARE);
    assertThat(DriverLibrary.current().driverVersion()).isEqualTo(13000);
  }

  @Test
  void everyFunctionHasTheSignatureOfTheBindings() throws Throwable {
    for (String symbol : entryPoints.symbols()) {
      FunctionDescriptor expected =
          (FunctionDescriptor)
              MethodHandles.publicLookup()
                  .findStatic(
                      cuda_h.class,
                      symbol + "$descriptor",
                      MethodType.methodType(FunctionDescriptor.class))
                  .invoke();
      assertThat(withoutTargets(entryPoints.descriptor(symbol)))
          .as(symbol)
          .isEqualTo(withoutTargets(expected));
    }
  }

  private static FunctionDescriptor withoutTargets(FunctionDescriptor descriptor) {
    MemoryLayout[] arguments =
        descriptor.argumentLayouts().stream()
            .map(layout -> layout instanceof AddressLayout ? ValueLayout.ADDRESS : layout)
            .toArray(MemoryLayout[]::new);
    return FunctionDescriptor.of(descriptor.returnLayout().orElseThrow(), arguments);
  }

  @Test
  void everyFunctionIsOneOfTheBindings() {
    assertThat(DriverSymbol.all().keySet()).containsAll(entryPoints.symbols());
  }

  @Test
  void aFunctionKeepsItsAddress() {
    assertThat(entryPoints.find("cuInit")).isEqualTo(entryPoints.find("cuInit"));
    assertThat(entryPoints.find("cuInit")).isNotEqualTo(entryPoints.find("cuDeviceGet"));
  }

  @Test
  void whatIsNoFunctionIsNotFound() {
    assertThat(entryPoints.find("cuNoSuchFunction")).isEmpty();
    assertThat(entryPoints.find("cuInit_ptsz")).isEmpty();
    assertThat(entryPoints.find("cuMemcpyHtoD_v2_ptsz")).isEmpty();
  }

  @Test
  void nothingThatAFunctionThrowsLeavesIt() throws Throwable {
    MethodHandle throwing =
        MethodHandles.throwException(int.class, IllegalStateException.class)
            .bindTo(new IllegalStateException("thrown by a test, logged once"));
    MethodHandle guarded = Guard.around("cuTest", throwing);
    assertThat((int) guarded.invoke()).isEqualTo(Result.UNKNOWN.code());
    assertThat(guarded.type()).isEqualTo(MethodType.methodType(int.class));
  }

  @Test
  void functionsAreFoundByBaseNameAndVersion() {
    assertThat(procAddress("cuMemAlloc", 13000, 0)).isNotZero();
    assertThat(procAddress("cuStreamGetCaptureInfo", 12000, 0))
        .isNotEqualTo(procAddress("cuStreamGetCaptureInfo", 13000, 0));
  }

  @Test
  void perThreadVariantsAreOtherFunctionsWhereThereAreSome() {
    long legacy = procAddress("cuMemcpyHtoD", 13000, 1, 0);
    assertThat(procAddress("cuMemcpyHtoD", 13000, 0, 0)).isEqualTo(legacy);
    assertThat(procAddress("cuMemcpyHtoD", 13000, 2, 0)).isNotEqualTo(legacy);
    assertThat(procAddress("cuMemAlloc", 13000, 2, 0))
        .isEqualTo(procAddress("cuMemAlloc", 13000, 1, 0));
  }

  @Test
  void aVersionBeyondTheDriverAndUnknownFlagsAreRefused() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom("cuInit");
      MemorySegment pfn = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment none = MemorySegment.NULL;
      int refused = Result.INVALID_VALUE.code();
      assertThat(cuda_h.cuGetProcAddress_v2(name, pfn, 13010, 0, none)).isEqualTo(refused);
      assertThat(cuda_h.cuGetProcAddress_v2(name, pfn, 13000, 3, none)).isEqualTo(refused);
      assertThat(cuda_h.cuGetProcAddress_v2(none, pfn, 13000, 0, none)).isEqualTo(refused);
      assertThat(cuda_h.cuGetProcAddress_v2(name, none, 13000, 0, none)).isEqualTo(refused);
    }
  }

  @Test
  void unknownAndTooNewFunctionsAreToldApart() {
    assertThat(procAddress("cuNoSuchFunction", 13000, 1)).isZero();
    assertThat(procAddress("cuStreamGetCaptureInfo", 10000, 2)).isZero();
  }

  private static long procAddress(String base, int version, int expectedStatus) {
    return procAddress(base, version, 0, expectedStatus);
  }

  private static long procAddress(String base, int version, long flags, int expectedStatus) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pfn = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment status = arena.allocateFrom(ValueLayout.JAVA_INT, -1);
      int code = cuda_h.cuGetProcAddress_v2(arena.allocateFrom(base), pfn, version, flags, status);
      assertThat(code).isZero();
      assertThat(status.get(ValueLayout.JAVA_INT, 0)).isEqualTo(expectedStatus);
      return pfn.get(ValueLayout.JAVA_LONG, 0);
    }
  }
}
