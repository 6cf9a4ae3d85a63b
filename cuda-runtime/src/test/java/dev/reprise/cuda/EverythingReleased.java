package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Waits until what a test has made is released, on whatever thread, so that the next test does not
 * meet it. What a test forgot to close is released when it is collected, which this does not tell
 * from a close.
 */
public final class EverythingReleased
    implements BeforeTestExecutionCallback, AfterTestExecutionCallback {

  private Map<ResourceKind, Integer> before = Map.of();

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    before = LiveResources.snapshot();
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isEmpty()) {
      Eventually.isTrue(
          "live " + LiveResources.snapshot() + " back to " + before, this::noMoreThanBefore);
    }
  }

  /** What was closed before the test may have been released since, so that there may be less. */
  private boolean noMoreThanBefore() {
    return LiveResources.snapshot().entrySet().stream()
        .allMatch(live -> live.getValue() <= before.getOrDefault(live.getKey(), 0));
  }
}
