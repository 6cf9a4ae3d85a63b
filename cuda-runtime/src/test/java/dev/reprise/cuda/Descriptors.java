package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Descriptors of files that nobody else has: what the software GPU takes for semaphores and memory.
 */
public final class Descriptors {

  private Descriptors() {}

  /** Of a new file in memory with so many zeroes; Linux only. */
  public static int file(long bytes) {
    int made = file();
    Linker linker = Linker.nativeLinker();
    MethodHandle resize =
        linker.downcallHandle(
            linker.defaultLookup().find("ftruncate").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    try {
      assertThat((int) resize.invokeExact(made, bytes)).isZero();
      return made;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Of a new file in memory; Linux only. */
  public static int file() {
    Linker linker = Linker.nativeLinker();
    MethodHandle create =
        linker.downcallHandle(
            linker.defaultLookup().find("memfd_create").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom("semaphore");
      int made = (int) create.invokeExact(name, 0);
      assertThat(made).isNotNegative();
      return made;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
