package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.Semaphore;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;

/** An imported semaphore ({@code CUexternalSemaphore}). */
public final class ExternalSemaphore extends Handled {

  private final SharedSemaphores.Share share;

  ExternalSemaphore(Handles handles, SharedSemaphores.Share share) {
    super(handles, HandleKind.EXTERNAL_SEMAPHORE);
    this.share = share;
  }

  /** What it is, shared by all imports of one file. */
  public Semaphore semaphore() {
    return share.semaphore();
  }

  SharedSemaphores.Share share() {
    return share;
  }
}
