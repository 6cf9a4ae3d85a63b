package dev.reprise.softgpu.engine.exec;

/** An operation that a device stops for, seen in one lane. The block adds where it happened. */
public final class LaneFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int cudaError;
  private final int line;
  private final int lane;
  private final long address;

  /**
   * @param line PTX line
   * @param address device address, or 0 where there is none
   */
  public LaneFault(int cudaError, int line, int lane, long address, String what) {
    super(what, null, false, false);
    this.cudaError = cudaError;
    this.line = line;
    this.lane = lane;
    this.address = address;
  }

  public int cudaError() {
    return cudaError;
  }

  public int line() {
    return line;
  }

  public int lane() {
    return lane;
  }

  public long address() {
    return address;
  }
}
