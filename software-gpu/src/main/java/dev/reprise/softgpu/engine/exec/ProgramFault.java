package dev.reprise.softgpu.engine.exec;

/** A fault with its full report. */
public final class ProgramFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int cudaError;

  ProgramFault(int cudaError, String report) {
    super(report);
    this.cudaError = cudaError;
  }

  public int cudaError() {
    return cudaError;
  }
}
