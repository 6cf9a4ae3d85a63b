package dev.reprise.softgpu.driver.context;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.queue.Work;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A callback of {@code cuStreamAddCallback}. Unlike a host function it runs after a fault too, and
 * is told the code.
 *
 * @param handle the stream as the caller named it
 */
public record StreamCallback(
    Stream stream, MemorySegment handle, MemorySegment callback, MemorySegment userData)
    implements Work {

  private static final MethodHandle CALL =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, ADDRESS));

  @Override
  public boolean runsAfterFault() {
    return true;
  }

  @Override
  public boolean callsHost() {
    return true;
  }

  @Override
  public void run() {
    int code = stream.context().result().code();
    HostCall.insideHostFunction(() -> {
      // As a statement of its own: only then is its return type void.
      CALL.invokeExact(callback, handle, code, userData);
    });
  }
}
