package dev.reprise.cuda.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Retirement against a driver whose events pass when the test says so. */
final class RetirementTest {

  /** Events are numbers; each passes once it is released. */
  private static final class Fences implements FenceDriver {
    final AtomicLong recorded = new AtomicLong();
    final Set<Long> passed = ConcurrentHashMap.newKeySet();
    final List<Long> recycled = new CopyOnWriteArrayList<>();
    final CountDownLatch open = new CountDownLatch(1);

    @Override
    public MemorySegment record(MemorySegment stream) {
      return MemorySegment.ofAddress(recorded.incrementAndGet());
    }

    @Override
    public boolean passed(MemorySegment event) {
      return passed.contains(event.address()) || open.getCount() == 0;
    }

    @Override
    public void await(MemorySegment event) {
      try {
        open.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void recycle(MemorySegment event) {
      if (recycled.contains(event.address())) {
        throw new IllegalStateException("recycled twice: " + event.address());
      }
      recycled.add(event.address());
    }
  }

  private static final class Listener implements DiagnosticsListener {
    final List<CleanupFailure> failures = new CopyOnWriteArrayList<>();

    @Override
    public void leaked(Leak leak) {
      throw new AssertionError(leak);
    }

    @Override
    public void cleanupFailed(CleanupFailure failure) {
      failures.add(failure);
    }

    @Override
    public void hostFunctionFailed(HostFunctionFailure failure) {
      throw new AssertionError(failure);
    }
  }

  private final Fences fences = new Fences();
  private final Listener listener = new Listener();
  private final ReentrantLock captureLock = new ReentrantLock();
  private final List<String> destroyed = new CopyOnWriteArrayList<>();
  private final StreamClock clock = new StreamClock(MemorySegment.NULL, fences);
  private final Retirement retirement =
      new Retirement(
          "test",
          new Diagnostics(false, listener),
          captureLock,
          e -> "no news".equals(e.getMessage()));

  private final class Node extends HandleNode {
    private final @Nullable RuntimeException failure;

    Node(String label, HandleNode... parents) {
      this(label, null, parents);
    }

    Node(String label, @Nullable RuntimeException failure, HandleNode... parents) {
      super(ResourceKind.DEVICE_BUFFER, label, retirement, List.of(parents));
      this.failure = failure;
    }

    @Override
    protected void destroy() {
      destroyed.add(label());
      if (failure != null) {
        throw failure;
      }
    }
  }

  private void use(HandleNode node) {
    clock.lock();
    try {
      node.markUse(clock, clock.issue());
    } finally {
      clock.unlock();
    }
  }

  private void settle() {
    long start = System.nanoTime();
    while (!retirement.isEmpty()) {
      assertThat(System.nanoTime() - start).isLessThan(60_000_000_000L);
      Thread.onSpinWait();
    }
  }

  @Test
  void whatWasNeverUsedIsDestroyedAtOnce() {
    new Node("a").close();
    assertThat(destroyed).containsExactly("a");
    assertThat(fences.recorded).hasValue(0);
  }

  @Test
  void whatIsInUseIsDestroyedAfterItsFence() {
    Node a = new Node("a");
    Node b = new Node("b");
    use(a);
    use(b);
    a.close();
    b.close();
    assertThat(destroyed).isEmpty();
    fences.open.countDown();
    settle();
    assertThat(destroyed).containsExactlyInAnyOrder("a", "b");
    // One fence behind both uses does for both.
    assertThat(fences.recorded).hasValue(1);
    assertThat(fences.recycled).containsExactly(1L);
  }

  @Test
  void aLaterUseNeedsALaterFence() {
    Node a = new Node("a");
    Node b = new Node("b");
    use(a);
    a.close();
    use(b);
    b.close();
    fences.passed.add(1L);
    while (destroyed.isEmpty()) {
      // Does nothing while the library thread is at it.
      retirement.drain();
    }
    assertThat(destroyed).containsExactly("a");
    fences.open.countDown();
    settle();
    assertThat(destroyed).containsExactly("a", "b");
    assertThat(fences.recorded).hasValue(2);
    assertThat(fences.recycled).containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  void anAwaitedFenceIsRecycledOnce() {
    clock.lock();
    long ticket = clock.issue();
    clock.unlock();
    clock.fence(ticket, true);
    StreamClock.Fence fence = Objects.requireNonNull(clock.oldestFence());
    fence.waiters = 1;
    fences.open.countDown();
    clock.awaited(fence);
    clock.poll();
    assertThat(fences.recycled).containsExactly(1L);
    assertThat(clock.isDone(ticket)).isTrue();
  }

  @Test
  void knownCompletionNeedsNoFence() {
    Node a = new Node("a");
    use(a);
    clock.completedTo(clock.issued());
    a.close();
    assertThat(destroyed).containsExactly("a");
    assertThat(fences.recorded).hasValue(0);
  }

  @Test
  void childrenKeepTheirParentsAlive() {
    Node parent = new Node("parent");
    Node child = HandleNode.under(parent, () -> new Node("child", parent));
    parent.close();
    assertThat(destroyed).isEmpty();
    assertThatThrownBy(parent::checkOpen).isInstanceOf(IllegalStateException.class);
    child.close();
    assertThat(destroyed).containsExactly("child", "parent");
  }

  @Test
  void aChildThatCannotBeMadeLeavesNoReference() {
    Node parent = new Node("parent");
    IllegalArgumentException planted = new IllegalArgumentException("planted");
    assertThatThrownBy(() ->
            HandleNode.under(
                parent,
                () -> {
                  throw planted;
                }))
        .isSameAs(planted);
    parent.close();
    assertThat(destroyed).containsExactly("parent");
    assertThatThrownBy(parent::retain).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void nothingIsDestroyedWhileTheCaptureLockIsHeld() {
    Node a = new Node("a");
    captureLock.lock();
    try {
      a.close();
      assertThat(destroyed).isEmpty();
    } finally {
      captureLock.unlock();
    }
    settle();
    assertThat(destroyed).containsExactly("a");
  }

  @Test
  void failuresOfCleanupAreReportedAndParentsStillLetGo() {
    Node parent = new Node("parent");
    IllegalStateException planted = new IllegalStateException("planted");
    HandleNode.under(parent, () -> new Node("child", planted, parent)).close();
    parent.close();
    assertThat(destroyed).containsExactly("child", "parent");
    assertThat(listener.failures)
        .containsExactly(new CleanupFailure(ResourceKind.DEVICE_BUFFER, "child", planted));
    new Node("silent", new IllegalStateException("no news")).close();
    assertThat(listener.failures).hasSize(1);
  }
}
