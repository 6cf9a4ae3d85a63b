package dev.reprise.softgpu.driver.operation;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A host function of the caller, {@code void (*)(void *)}. It runs on a driver thread, where driver
 * calls are answered with {@code CUDA_ERROR_NOT_PERMITTED}.
 *
 * @param function its address
 * @param userData its argument
 */
public record HostCall(MemorySegment function, MemorySegment userData) implements Operation {

  private static final MethodHandle CALL =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(ADDRESS));
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  /** True on a thread that is inside a host function. */
  public static boolean inside() {
    return INSIDE.get();
  }

  @Override
  public NodeType type() {
    return NodeType.HOST;
  }

  @Override
  public String describe() {
    return "host function 0x%x(0x%x)".formatted(function.address(), userData.address());
  }

  /** A call of a native function of the caller. */
  @FunctionalInterface
  public interface NativeCall {
    /** Makes the call. */
    void call() throws Throwable;
  }

  /** Makes a native call during which this thread may not call the driver. */
  public static void insideHostFunction(NativeCall nativeCall) {
    INSIDE.set(true);
    try {
      nativeCall.call();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a native call threw a checked exception", e);
    } finally {
      INSIDE.set(false);
    }
  }

  @Override
  public boolean callsHost() {
    return true;
  }

  @Override
  public void run() {
    insideHostFunction(() -> {
      // As a statement of its own: only then is its return type void.
      CALL.invokeExact(function, userData);
    });
  }
}
