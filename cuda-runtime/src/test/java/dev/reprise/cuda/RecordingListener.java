package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.cuda.diagnostics.UnorderedAccess;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what the runtime reports. */
final class RecordingListener implements DiagnosticsListener {

  final List<Leak> leaks = new CopyOnWriteArrayList<>();
  final List<CleanupFailure> failures = new CopyOnWriteArrayList<>();
  final List<HostFunctionFailure> hostFailures = new CopyOnWriteArrayList<>();

  @Override
  public void hostFunctionFailed(HostFunctionFailure failure) {
    hostFailures.add(failure);
  }

  final List<UnorderedAccess> unordered = new CopyOnWriteArrayList<>();

  @Override
  public void unorderedAccess(UnorderedAccess found) {
    unordered.add(found);
  }

  @Override
  public void leaked(Leak leak) {
    leaks.add(leak);
  }

  @Override
  public void cleanupFailed(CleanupFailure failure) {
    failures.add(failure);
  }
}
