package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import java.util.concurrent.Executor;

/**
 * A resource of the caller with a reference count ({@code CUuserObject}); graphs hold references.
 * When the count reaches zero the destructor runs on a driver thread. Thread-safe.
 */
public final class UserObject extends Handled {

  private final Handles handles;
  private final Executor callbacks;
  private final HostCall destructor;
  private long references;

  public UserObject(Handles handles, Executor callbacks, HostCall destructor, int references) {
    super(handles, HandleKind.USER_OBJECT);
    this.handles = handles;
    this.callbacks = callbacks;
    this.destructor = destructor;
    this.references = references;
  }

  /** Adds references. */
  public synchronized void retain(long count) {
    references += count;
  }

  /** Drops references; {@code CUDA_ERROR_INVALID_VALUE} for more than there are. */
  public void release(long count) {
    boolean last;
    synchronized (this) {
      if (count > references) {
        throw CudaFailure.invalidValue(
            "releasing %d references of %s, which has %d".formatted(count, this, references));
      }
      references -= count;
      last = references == 0 && count > 0;
    }
    if (last) {
      handles.remove(this);
      callbacks.execute(destructor::run);
    }
  }
}
