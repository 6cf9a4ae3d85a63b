package dev.reprise.cuda.examples;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.Leak;

/** Ignores what an example is not about. */
class QuietListener implements DiagnosticsListener {

  @Override
  public void leaked(Leak leak) {}

  @Override
  public void cleanupFailed(CleanupFailure failure) {}

  @Override
  public void hostFunctionFailed(HostFunctionFailure failure) {}
}
