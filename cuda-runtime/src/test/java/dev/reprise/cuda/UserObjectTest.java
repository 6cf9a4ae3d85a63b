package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How long a resource of the program lives that graphs hold. */
final class UserObjectTest extends GpuTest {

  /** Counts how often it is closed. */
  private static final class Resource implements AutoCloseable {
    final AtomicInteger closed = new AtomicInteger();

    @Override
    public void close() {
      closed.incrementAndGet();
    }

    void awaitClosed() {
      Eventually.isTrue("closed", () -> closed.get() > 0);
      assertThat(closed).hasValue(1);
    }

    /** Destructors run one after the other, so a later one shows that this one was not due. */
    void assertOpen(Device device) {
      Resource later = new Resource();
      device.createUserObject("later", later).close();
      // The thread that releases objects may be waiting for the work in flight.
      Eventually.isTrue(
          "later closed",
          () -> {
            device.context().retirement().drain();
            return later.closed.get() > 0;
          });
      assertThat(closed).hasValue(0);
    }
  }

  private Graph graph(String label) {
    Graph graph = device.createGraph(label);
    graph.addEmpty();
    return graph;
  }

  @Test
  void withoutAGraphItIsClosedWithItsObject() {
    Resource resource = new Resource();
    UserObject object = device.createUserObject("object", resource);
    resource.assertOpen(device);
    object.close();
    object.close();
    resource.awaitClosed();
  }

  @Test
  void aGraphItsCopyAndItsExecEachHoldIt() {
    Resource resource = new Resource();
    Graph graph = graph("graph");
    try (UserObject object = device.createUserObject("object", resource)) {
      graph.retain(object);
    }
    resource.assertOpen(device);
    Graph copy = graph.copy("copy");
    GraphExec exec = copy.instantiate();
    graph.close();
    resource.assertOpen(device);
    copy.close();
    resource.assertOpen(device);
    exec.close();
    resource.awaitClosed();
  }

  @Test
  void aLaunchInFlightHoldsIt() {
    Resource resource = new Resource();
    Graph graph = graph("graph");
    try (UserObject object = device.createUserObject("object", resource)) {
      graph.retain(object);
    }
    try (Gate gate = new Gate(stream)) {
      GraphExec exec = graph.instantiate();
      graph.close();
      exec.replay(stream);
      exec.close();
      resource.assertOpen(device);
      gate.letGoAndWait(stream);
    }
    resource.awaitClosed();
  }

  @Test
  void aGraphThatItsGraphBecameAChildOfHoldsIt() {
    Resource resource = new Resource();
    Graph child = graph("child");
    try (UserObject object = device.createUserObject("object", resource)) {
      child.retain(object);
    }
    Graph parent = device.createGraph("parent");
    ChildGraphNode node = parent.addChild(child);
    child.close();
    resource.assertOpen(device);
    node.remove();
    resource.awaitClosed();
    parent.close();
  }

  @Test
  void anUpdatedExecHoldsWhatTheNewGraphHolds() {
    Resource first = new Resource();
    Resource second = new Resource();
    Graph before = graph("before");
    Graph after = graph("after");
    try (UserObject a = device.createUserObject("first", first);
        UserObject b = device.createUserObject("second", second)) {
      before.retain(a);
      after.retain(b);
    }
    GraphExec exec = before.instantiate();
    before.close();
    first.assertOpen(device);
    assertThat(exec.update(after).updated()).isTrue();
    first.awaitClosed();
    after.close();
    second.assertOpen(device);
    exec.close();
    second.awaitClosed();
  }

  @Test
  void whatAGraphGivesBackItsExecStillHolds() {
    Resource resource = new Resource();
    try (UserObject object = device.createUserObject("object", resource);
        Graph graph = graph("graph")) {
      graph.retain(object);
      GraphExec exec = graph.instantiate();
      graph.release(object);
      assertThatThrownBy(() -> graph.release(object))
          .isInstanceOfSatisfying(
              CudaException.class,
              e -> {
                assertThat(e.function()).isEqualTo("cuGraphReleaseUserObject");
                assertThat(e.arguments()).isEqualTo("graph=graph, object=object");
              });
      object.close();
      resource.assertOpen(device);
      exec.close();
      resource.awaitClosed();
    }
  }

  @Test
  void theResourceIsClosedByAThreadThatMayUseTheRuntime() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    List<String> threads = new java.util.concurrent.CopyOnWriteArrayList<>();
    DeviceBuffer memory = device.allocate("memory", 64);
    Graph graph = graph("graph");
    try (UserObject object =
        device.createUserObject(
            "object",
            () -> {
              threads.add(Thread.currentThread().getName());
              stream.fill32(memory, 0, 16, 1);
              stream.synchronize();
              memory.close();
              done.countDown();
            })) {
      graph.retain(object);
    }
    GraphExec exec = graph.instantiate();
    graph.close();
    exec.replay(stream);
    exec.close();
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(threads).containsExactly("reprise-user-objects");
  }

  @Test
  void whatTheResourceThrowsIsReported() {
    device
        .createUserObject(
            "bad",
            () -> {
              throw new java.io.IOException("disk full");
            })
        .close();
    Eventually.isTrue("reported", () -> !listener.failures.isEmpty());
    CleanupFailure failure = listener.failures.getFirst();
    assertThat(failure.kind()).isEqualTo(ResourceKind.USER_OBJECT);
    assertThat(failure.label()).isEqualTo("bad");
    assertThat(failure.failure()).hasMessage("disk full");
    listener.failures.clear();
  }

  @Test
  void closedObjectsAndBodiesAreRefused() {
    UserObject object = device.createUserObject("object", () -> {});
    try (Graph graph = device.createGraph("graph")) {
      ConditionalNode node = graph.addIf(graph.conditionalHandle());
      assertThatThrownBy(() -> node.body().retain(object))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("belongs to a conditional node");
      object.close();
      assertThatThrownBy(() -> graph.retain(object))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("UserObject 'object' is closed");
    }
  }
}
