package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessHistory;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;

/** One share in a registration, as a region with an epoch of its own. */
final class RegisteredMemoryHandle extends RegionHandle {

  private final HostRegistration registration;

  /** The caller has retained the registration for it. */
  RegisteredMemoryHandle(String label, HostRegistration registration) {
    super(
        ResourceKind.REGISTERED_MEMORY,
        label,
        registration.context(),
        List.of(registration),
        registration.address(),
        registration.bytes());
    this.registration = registration;
  }

  /** The shares are the same memory. */
  @Override
  AccessHistory history() {
    return registration.history();
  }

  @Override
  protected void destroy() {
    // The registration ends with its last share.
  }
}
