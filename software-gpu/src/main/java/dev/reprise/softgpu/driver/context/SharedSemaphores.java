package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.Semaphore;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;

/**
 * The semaphores that files stand for. A GPU driver imports a descriptor that a graphics driver of
 * the same device exported; there is none here, so a file that nobody else uses, such as one of
 * {@code memfd_create}, takes its place: all imports of descriptors of one file are one semaphore
 * of this process, until the last of them is destroyed. Thread-safe.
 */
public final class SharedSemaphores {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  /** A semaphore with the number of its imports. */
  private static final class Entry {
    final Semaphore semaphore;
    int imports;

    Entry(Semaphore semaphore) {
      this.semaphore = semaphore;
    }
  }

  /**
   * What one import holds.
   *
   * @param file what tells the file from all others
   * @param descriptor the descriptor, which belongs to the import
   */
  record Share(Object file, int descriptor, Semaphore semaphore) {}

  private final Map<Object, Entry> byFile = new HashMap<>();

  /**
   * Imports a descriptor, which belongs to the driver from now on.
   *
   * @throws CudaFailure with {@code INVALID_VALUE} if it is no descriptor of a file, or if the file
   *     stands for a semaphore of the other kind
   */
  public synchronized ExternalSemaphore importFile(
      Handles handles, int descriptor, boolean timeline) {
    Object file = identity(descriptor);
    Entry entry = byFile.computeIfAbsent(file, any -> new Entry(new Semaphore(timeline)));
    if (entry.semaphore.timeline() != timeline) {
      throw CudaFailure.invalidValue(
          "descriptor %d is a %s semaphore"
              .formatted(descriptor, timeline ? "binary" : "timeline"));
    }
    entry.imports++;
    return handles.publish(
        new ExternalSemaphore(handles, new Share(file, descriptor, entry.semaphore)));
  }

  private static Object identity(int descriptor) {
    Path path = DESCRIPTORS.resolve(Integer.toString(descriptor));
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      Object key = attributes.fileKey();
      if (attributes.isRegularFile() && key != null) {
        return key;
      }
      throw CudaFailure.invalidValue(
          "descriptor %d is no file; this driver takes a file for a semaphore"
              .formatted(descriptor));
    } catch (IOException e) {
      throw CudaFailure.invalidValue("there is no descriptor %d: %s".formatted(descriptor, e));
    }
  }

  /** Ends an import and closes its descriptor. */
  public synchronized void destroy(Handles handles, ExternalSemaphore imported) {
    if (!handles.remove(imported)) {
      throw CudaFailure.invalidHandle(imported + " was destroyed already");
    }
    Entry entry = byFile.get(imported.share().file());
    if (entry != null && --entry.imports == 0) {
      byFile.remove(imported.share().file());
    }
    if (close(imported.share().descriptor()) != 0) {
      throw new CudaFailure(
          Result.OPERATING_SYSTEM,
          "descriptor %d of %s cannot be closed; the driver owns it since the import"
              .formatted(imported.share().descriptor(), imported));
    }
  }

  private static int close(int descriptor) {
    Linker linker = Linker.nativeLinker();
    MethodHandle close =
        linker.downcallHandle(
            linker.defaultLookup().find("close").orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    try {
      return (int) close.invokeExact(descriptor);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall threw a checked exception", e);
    }
  }
}
