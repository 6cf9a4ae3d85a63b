package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.sanitizer.Findings;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Execution;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.Map;

/** A driver of its own with two devices, each with its primary context. */
final class TwoDevices {

  private final EntryPoints driver =
      new EntryPoints(
          new SoftwareGpu(
              2,
              DeviceModel.of(1, 1L << 26),
              Execution.ADAPTIVE,
              new Findings(SanitizerOptions.DEFAULT)));
  private final Map<String, MethodHandle> calls = new HashMap<>();
  private final Arena arena = Arena.ofAuto();

  /** The primary contexts. */
  final long[] contexts = new long[2];

  TwoDevices() {
    ok("cuInit", 0);
    for (int device = 0; device < 2; device++) {
      contexts[device] = out("cuDevicePrimaryCtxRetain", device);
    }
    use(0);
  }

  /** Makes the context of a device current. */
  void use(int device) {
    ok("cuCtxSetCurrent", contexts[device]);
  }

  Arena arena() {
    return arena;
  }

  /** Calls a driver function; numbers stand for pointers where it takes those. */
  int call(String symbol, Object... arguments) {
    FunctionDescriptor type = driver.descriptor(symbol);
    MethodHandle handle =
        calls.computeIfAbsent(
            symbol,
            name -> Linker.nativeLinker().downcallHandle(driver.find(name).orElseThrow(), type));
    Object[] converted = arguments.clone();
    for (int i = 0; i < converted.length; i++) {
      if (type.argumentLayouts().get(i) instanceof AddressLayout
          && converted[i] instanceof Number n) {
        converted[i] = MemorySegment.ofAddress(n.longValue());
      }
    }
    try {
      return (int) handle.invokeWithArguments(converted);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  void expect(Result result, String symbol, Object... arguments) {
    assertThat(Result.of(call(symbol, arguments))).as(symbol).isEqualTo(result);
  }

  void ok(String symbol, Object... arguments) {
    expect(Result.SUCCESS, symbol, arguments);
  }

  /** Calls a function that writes a number of up to 64 bits through its first argument. */
  long out(String symbol, Object... rest) {
    MemorySegment slot = arena.allocate(JAVA_LONG);
    Object[] arguments = new Object[rest.length + 1];
    arguments[0] = slot;
    System.arraycopy(rest, 0, arguments, 1, rest.length);
    ok(symbol, arguments);
    return slot.get(JAVA_LONG, 0);
  }

  /** Memory of a device, filled with a number. */
  long filled(int device, int ints, int value) {
    use(device);
    long address = out("cuMemAlloc_v2", 4L * ints);
    ok("cuMemsetD32_v2", address, value, (long) ints);
    ok("cuCtxSynchronize");
    return address;
  }

  int[] read(long address, int ints) {
    MemorySegment host = arena.allocate(JAVA_INT, ints);
    ok("cuMemcpyDtoH_v2", host, address, host.byteSize());
    return host.toArray(JAVA_INT);
  }
}
