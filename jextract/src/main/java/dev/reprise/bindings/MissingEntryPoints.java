package dev.reprise.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stand-in addresses for functions that a driver lacks.
 *
 * <p>The generated classes look a symbol up in their static initialiser; an exception there would
 * become an {@link ExceptionInInitializerError} and then a {@link NoClassDefFoundError} for ever.
 * So the look-up answers with a marker address, and the handle made for it throws when called.
 */
final class MissingEntryPoints {

  private static final Map<Long, Supplier<RuntimeException>> FAILURES = new ConcurrentHashMap<>();
  private static final MethodHandle MAKE;

  static {
    try {
      MAKE =
          MethodHandles.lookup()
              .findVirtual(Supplier.class, "get", MethodType.methodType(Object.class));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private MissingEntryPoints() {}

  /** An address that stands for a function whose calls fail with what {@code failure} makes. */
  static MemorySegment marker(Supplier<RuntimeException> failure) {
    MemorySegment marker = Arena.global().allocate(1);
    FAILURES.put(marker.address(), failure);
    return marker;
  }

  /** A handle that throws, if {@code address} is a marker; otherwise null. */
  static @Nullable MethodHandle handle(MemorySegment address, FunctionDescriptor descriptor) {
    Supplier<RuntimeException> failure = FAILURES.get(address.address());
    if (failure == null) {
      return null;
    }
    MethodType type = descriptor.toMethodType();
    MethodHandle make = MAKE.bindTo(failure).asType(MethodType.methodType(RuntimeException.class));
    MethodHandle fail =
        MethodHandles.foldArguments(
            MethodHandles.throwException(type.returnType(), RuntimeException.class), make);
    return MethodHandles.dropArguments(fail, 0, type.parameterList());
  }
}
