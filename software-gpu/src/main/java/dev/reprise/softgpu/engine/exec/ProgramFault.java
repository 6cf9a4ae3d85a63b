package dev.reprise.softgpu.engine.exec;

/** A fault with its full report. */
public final class ProgramFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int cudaError;
  private final transient FaultPlace place;

  ProgramFault(int cudaError, String report, FaultPlace place) {
    super(report);
    this.cudaError = cudaError;
    this.place = place;
  }

  /** Where it happened. */
  public FaultPlace place() {
    return place;
  }

  public int cudaError() {
    return cudaError;
  }
}
