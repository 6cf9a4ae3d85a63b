package dev.reprise.softgpu.driver.sanitizer;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What threads have passed on by strong stores and updates, by the address. */
final class Released {

  private static final int MOST = 1 << 20;

  private final Map<Long, ThreadClock> clocks = new HashMap<>();
  private final int most;

  /** True when there has been no room for all. */
  private boolean full;

  Released() {
    this(MOST);
  }

  /** At so many addresses. */
  Released(int most) {
    this.most = most;
  }

  @Nullable ThreadClock get(long address) {
    return clocks.isEmpty() ? null : clocks.get(address);
  }

  void add(long address, @Nullable ThreadClock clock) {
    if (clock == null) {
      return;
    }
    ThreadClock before = clocks.get(address);
    if (before == null && clocks.size() >= most) {
      full = true;
      return;
    }
    ThreadClock both = ThreadClock.join(before, clock);
    if (both != null && both != before) {
      clocks.put(address, both);
    }
  }

  boolean full() {
    return full;
  }
}
