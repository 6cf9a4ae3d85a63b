package dev.reprise.softgpu.driver.support;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A descriptor of a file of this process, as another driver would export it; it is the importer's
 * from then on.
 *
 * @param number as the operating system knows it
 */
public record Descriptor(int number) {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  /** Opened, it is the same file once more. */
  public Path path() {
    return DESCRIPTORS.resolve(Integer.toString(number));
  }

  /**
   * What the file is.
   *
   * @param what that for which this driver takes a file
   * @throws CudaFailure with {@code INVALID_VALUE} if it is no descriptor of a file
   */
  public BasicFileAttributes file(String what) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path(), BasicFileAttributes.class);
      if (attributes.isRegularFile() && attributes.fileKey() != null) {
        return attributes;
      }
      throw CudaFailure.invalidValue(
          "descriptor %d is no file; this driver takes a file for %s".formatted(number, what));
    } catch (IOException e) {
      throw CudaFailure.invalidValue("there is no descriptor %d: %s".formatted(number, e));
    }
  }

  /**
   * Closes it.
   *
   * @param owner what had it
   * @throws CudaFailure with {@code OPERATING_SYSTEM} if somebody else has closed it
   */
  public void close(Object owner) {
    Linker linker = Linker.nativeLinker();
    MethodHandle close =
        linker.downcallHandle(
            linker.defaultLookup().find("close").orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    int code;
    try {
      code = (int) close.invokeExact(number);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall threw a checked exception", e);
    }
    if (code != 0) {
      throw new CudaFailure(
          Result.OPERATING_SYSTEM,
          "descriptor %d of %s cannot be closed; the driver owns it since the import"
              .formatted(number, owner));
    }
  }
}
