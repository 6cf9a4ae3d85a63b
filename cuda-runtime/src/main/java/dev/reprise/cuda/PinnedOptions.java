package dev.reprise.cuda;

/**
 * What kind of page-locked memory the driver allocates (CUDA Driver API, {@code cuMemHostAlloc}).
 *
 * @param portable whether it counts as page-locked in every context, not only in that of its device
 * @param mapped whether kernels may address it, see {@link HostBuffer#deviceAddress}; on devices
 *     with unified addressing all page-locked memory is
 * @param writeCombined whether it bypasses the processor's caches: faster for the device to read,
 *     very slow for the program to read
 */
public record PinnedOptions(boolean portable, boolean mapped, boolean writeCombined) {

  /** Portable, cached memory for copies. */
  public static final PinnedOptions STANDARD = new PinnedOptions(true, false, false);

  /** These, and kernels may address the memory. */
  public PinnedOptions withMapped() {
    return new PinnedOptions(portable, true, writeCombined);
  }

  /** These, and the memory bypasses the processor's caches. */
  public PinnedOptions withWriteCombined() {
    return new PinnedOptions(portable, mapped, true);
  }
}
