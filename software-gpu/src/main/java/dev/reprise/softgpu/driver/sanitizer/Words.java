package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Work;

/** Names for work in reports. */
final class Words {

  private Words() {}

  static String of(Work work) {
    return work instanceof Operation operation ? operation.describe() : work.toString();
  }

  /** Shorter: a kernel by its name. */
  static String brief(Work work) {
    return work instanceof KernelLaunch launch
        ? "kernel " + launch.request().kernel().name()
        : of(work);
  }
}
