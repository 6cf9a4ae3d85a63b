package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;

/** One share in a registration, as a region with an epoch of its own. */
final class RegisteredMemoryHandle extends RegionHandle {

  /** The caller has retained the registration for it. */
  RegisteredMemoryHandle(String label, HostRegistration registration) {
    super(
        ResourceKind.REGISTERED_MEMORY,
        label,
        registration.context(),
        registration,
        registration.address(),
        registration.bytes());
  }

  @Override
  protected void destroy() {
    // The registration ends with its last share.
  }
}
