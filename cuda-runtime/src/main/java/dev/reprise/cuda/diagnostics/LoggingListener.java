package dev.reprise.cuda.diagnostics;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes each report as a warning. */
final class LoggingListener implements DiagnosticsListener {

  static final LoggingListener INSTANCE = new LoggingListener();

  private static final Logger LOG = LoggerFactory.getLogger("dev.reprise.cuda.diagnostics");

  private LoggingListener() {}

  @Override
  public void leaked(Leak leak) {
    LOG.warn("{}", leak.describe(), leak.creationSite());
  }

  @Override
  public void openAtExit(Leak open) {
    LOG.warn("{}", open.describeAtExit(), open.creationSite());
  }

  @Override
  public void cleanupFailed(CleanupFailure failure) {
    LOG.warn("{}", failure.describe(), failure.failure());
  }

  @Override
  public void hostFunctionFailed(HostFunctionFailure failure) {
    LOG.warn("{}", failure.describe(), failure.failure());
  }

  @Override
  public void hostWorkLeft(HostWorkLeft left) {
    LOG.warn("{}", left.describe());
  }

  @Override
  public void unorderedAccess(UnorderedAccess found) {
    LOG.warn("{}", found.describe());
  }
}
