package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.Semaphore;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Descriptor;
import dev.reprise.softgpu.driver.support.Handles;
import java.util.HashMap;
import java.util.Map;

/**
 * The semaphores that files stand for. A GPU driver imports a descriptor that a graphics driver of
 * the same device exported; there is none here, so a file that nobody else uses, such as one of
 * {@code memfd_create}, takes its place: all imports of descriptors of one file are one semaphore
 * of this process, until the last of them is destroyed. Thread-safe.
 */
public final class SharedSemaphores {

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
  record Share(Object file, Descriptor descriptor, Semaphore semaphore) {}

  private final Map<Object, Entry> byFile = new HashMap<>();

  /**
   * Imports a descriptor, which belongs to the driver from now on.
   *
   * @throws CudaFailure with {@code INVALID_VALUE} if it is no descriptor of a file, or if the file
   *     stands for a semaphore of the other kind
   */
  public synchronized ExternalSemaphore importFile(
      Handles handles, int descriptor, boolean timeline) {
    Descriptor owned = new Descriptor(descriptor);
    Object file = owned.file("a semaphore").fileKey();
    Entry entry = byFile.computeIfAbsent(file, any -> new Entry(new Semaphore(timeline)));
    if (entry.semaphore.timeline() != timeline) {
      throw CudaFailure.invalidValue(
          "descriptor %d is a %s semaphore"
              .formatted(descriptor, timeline ? "binary" : "timeline"));
    }
    entry.imports++;
    return handles.publish(new ExternalSemaphore(handles, new Share(file, owned, entry.semaphore)));
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
    imported.share().descriptor().close(imported);
  }
}
