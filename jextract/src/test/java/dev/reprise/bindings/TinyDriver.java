package dev.reprise.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.bindings.spi.DriverProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/** A driver of CUDA 12.0 with three functions, so that nearly everything is missing. */
public final class TinyDriver implements DriverProvider {

  /** A property that makes the constructor fail: a message, or {@code broken} for another error. */
  static final String SETTING = "tiny.driver.setting";

  /** For the service loader. */
  public TinyDriver() {
    String setting = System.getProperty(SETTING);
    if (setting != null) {
      throw setting.equals("broken")
          ? new IllegalStateException("a mistake in it")
          : new IllegalArgumentException(SETTING + " must be unset, not '" + setting + "'");
    }
  }

  @Override
  public String name() {
    return "tiny driver";
  }

  @Override
  public Optional<MemorySegment> find(String symbol) {
    return switch (symbol) {
      case "cuInit" -> Optional.of(stub("init", FunctionDescriptor.of(JAVA_INT, JAVA_INT)));
      case "cuDriverGetVersion" ->
          Optional.of(stub("version", FunctionDescriptor.of(JAVA_INT, ADDRESS)));
      case "cuDeviceGetCount" ->
          Optional.of(stub("count", FunctionDescriptor.of(JAVA_INT, ADDRESS)));
      default -> Optional.empty();
    };
  }

  private static MemorySegment stub(String method, FunctionDescriptor descriptor) {
    try {
      MethodType type = descriptor.toMethodType();
      return Linker.nativeLinker()
          .upcallStub(
              MethodHandles.lookup().findStatic(TinyDriver.class, method, type),
              descriptor,
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(method, e);
    }
  }

  static int init(int flags) {
    return flags == 0 ? 0 : 1;
  }

  static int version(MemorySegment out) {
    out.reinterpret(4).set(JAVA_INT, 0, 12000);
    return 0;
  }

  static int count(MemorySegment out) {
    out.reinterpret(4).set(JAVA_INT, 0, 1);
    return 0;
  }
}
