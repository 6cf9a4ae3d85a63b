package dev.reprise.cuda;

/** What {@link Graph#toDot} tells about nodes ({@code CUgraphDebugDot_flags}). */
public enum DotDetail {
  /** Everything. */
  VERBOSE(1),
  /** The parameters of kernel nodes. */
  KERNELS(4),
  /** The parameters of copy nodes. */
  COPIES(8),
  /** The parameters of fill nodes. */
  FILLS(16),
  /** The parameters of host nodes. */
  HOST_FUNCTIONS(32),
  /** The parameters of event nodes. */
  EVENTS(64),
  /** The attributes of kernel nodes. */
  KERNEL_ATTRIBUTES(512),
  /** The driver's handles of nodes and functions. */
  HANDLES(1024);

  private final int code;

  DotDetail(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** All of them as the driver takes them; everything if there is none. */
  static int flags(DotDetail... details) {
    int flags = details.length == 0 ? VERBOSE.code() : 0;
    for (DotDetail detail : details) {
      flags |= detail.code();
    }
    return flags;
  }
}
