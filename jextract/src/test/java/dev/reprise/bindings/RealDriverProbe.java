package dev.reprise.bindings;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;

/**
 * The main program of {@link RealDriverLibraryTest}: asks a driver library for every function of
 * the bindings and writes one line for each fact to standard output.
 */
final class RealDriverProbe {

  private RealDriverProbe() {}

  public static void main(String[] arguments) throws Throwable {
    // Before any library is chosen.
    System.out.println("constant " + cuda_h.CUDA_ERROR_NO_DEVICE());
    DriverLibrary library = DriverLibrary.use(arguments[0]);
    System.out.println("library " + library.kind() + " " + library.name());
    System.out.println("version " + library.driverVersion());
    for (DriverSymbol symbol : DriverSymbol.all().values()) {
      System.out.println(line(symbol, library));
    }
    System.out.println("init " + cuda_h.cuInit(0));
    System.out.println("constant " + cuda_h.CUDA_VERSION());
  }

  private static String line(DriverSymbol symbol, DriverLibrary library) throws Throwable {
    // Found as code that calls it would be: the class that declares it is not public.
    MethodHandle call =
        (MethodHandle)
            MethodHandles.publicLookup()
                .findStatic(
                    cuda_h.class,
                    symbol.exported() + "$handle",
                    MethodType.methodType(MethodHandle.class))
                .invokeExact();
    if (library.find(symbol.exported()).isPresent()) {
      return "found " + symbol.exported();
    }
    return "missing " + symbol.exported() + " " + failure(call);
  }

  /** What a call of a missing function throws; a driver never sees it. */
  private static Throwable failure(MethodHandle call) {
    try {
      return new AssertionError("it returned " + call.invokeWithArguments(zeros(call.type())));
    } catch (Throwable e) {
      return e;
    }
  }

  private static Object[] zeros(MethodType type) {
    return Arrays.stream(type.parameterArray()).map(RealDriverProbe::zero).toArray();
  }

  private static Object zero(Class<?> type) {
    if (type == int.class) {
      return 0;
    }
    if (type == long.class) {
      return 0L;
    }
    if (type == byte.class) {
      return (byte) 0;
    }
    if (type == short.class) {
      return (short) 0;
    }
    if (type == float.class) {
      return 0f;
    }
    if (type == MemorySegment.class) {
      return MemorySegment.NULL;
    }
    throw new AssertionError("no zero of " + type);
  }
}
