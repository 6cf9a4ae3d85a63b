package dev.reprise.cuda;

/** A function of a module. */
public final class Kernel {

  public String name() {
    throw new UnsupportedOperationException();
  }

  public CudaModule module() {
    throw new UnsupportedOperationException();
  }

  public int attribute(KernelAttribute attribute) {
    throw new UnsupportedOperationException();
  }

  public PreparedLaunch prepare(LaunchConfig config, KernelArg... args) {
    throw new UnsupportedOperationException();
  }
}
