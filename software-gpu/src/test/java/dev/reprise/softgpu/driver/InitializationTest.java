package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitializationTest {

  private final EntryPoints entryPoints =
      new EntryPoints(new SoftwareGpu(DeviceModel.of(1, 1 << 20)));

  private MethodHandle function(String symbol) {
    return Linker.nativeLinker()
        .downcallHandle(entryPoints.find(symbol).orElseThrow(), entryPoints.descriptor(symbol));
  }

  @Test
  void callsBeforeInitAreRefused() throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      assertThat((int) function("cuDeviceGetCount").invoke(out))
          .isEqualTo(Result.NOT_INITIALIZED.code());
      assertThat((int) function("cuCtxGetCurrent").invoke(out))
          .isEqualTo(Result.NOT_INITIALIZED.code());
      assertThat((int) function("cuInit").invoke(0)).isZero();
      assertThat((int) function("cuDeviceGetCount").invoke(out)).isZero();
      assertThat(out.get(ValueLayout.JAVA_INT, 0)).isEqualTo(1);
    }
  }

  @Test
  void theVersionNeedsNoInit() throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
      assertThat((int) function("cuDriverGetVersion").invoke(out)).isZero();
      assertThat(out.get(ValueLayout.JAVA_INT, 0)).isEqualTo(13000);
    }
  }

  @Test
  void initTakesNoFlags() {
    assertThat(cuda_h.cuInit(1)).isEqualTo(Result.INVALID_VALUE.code());
  }

  @ParameterizedTest
  @EnumSource
  void everyCodeHasItsNameAndAText(Result result) throws Throwable {
    assertThat(constant(result.constant())).isEqualTo(result.code());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      assertThat(cuda_h.cuGetErrorName(result.code(), out)).isZero();
      assertThat(string(out)).isEqualTo(result.constant());
      assertThat(cuda_h.cuGetErrorString(result.code(), out)).isZero();
      assertThat(string(out)).isEqualTo(result.text()).isNotBlank();
    }
  }

  /** Methods of the generated super classes are reached through the class that is public. */
  private static int constant(String name) throws Throwable {
    return (int)
        MethodHandles.publicLookup()
            .findStatic(cuda_h.class, name, MethodType.methodType(int.class))
            .invoke();
  }

  @Test
  void anUnknownCodeHasNoName() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
      assertThat(cuda_h.cuGetErrorName(12345, out)).isEqualTo(Result.INVALID_VALUE.code());
      assertThat(out.get(ADDRESS, 0)).isEqualTo(MemorySegment.NULL);
    }
  }

  private static String string(MemorySegment out) {
    return out.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0);
  }
}
