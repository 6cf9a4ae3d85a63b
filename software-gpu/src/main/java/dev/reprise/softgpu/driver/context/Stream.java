package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.faults.WorkFault;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkQueue;
import dev.reprise.softgpu.driver.sanitizer.Tracing;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stream ({@code CUstream}): a queue of work, with the rules by which streams wait for each other
 * through the legacy default stream, and its part in a capture. Thread-safe.
 */
public final class Stream extends Handled {

  /** What kind of stream it is. */
  public enum Role {
    /** The default stream of a context, which waits for and is waited for by blocking streams. */
    LEGACY,
    /** The default stream of one thread. */
    PER_THREAD,
    /** Made by a call. */
    CREATED
  }

  private final Context context;
  private final Role role;
  private final int flags;
  private volatile KernelAttributes attributes;
  private final WorkQueue queue;
  private final Tracing.StreamTrace trace;

  /** Written under the lock of {@link Captures}; null means "does not capture". */
  private volatile @Nullable Capture capture;

  /** The nodes that the next captured one depends on; guarded by {@link Captures}. */
  private final Set<Node> dependencies = new LinkedHashSet<>();

  /** Keeps alive what the last query of the capture gave out. */
  private MemorySegment dependencyArray = MemorySegment.NULL;

  Stream(Handles handles, Context context, Role role, int flags, int priority) {
    super(handles, HandleKind.STREAM);
    this.context = context;
    this.role = role;
    this.flags = flags;
    this.attributes =
        priority == 0
            ? KernelAttributes.NONE
            : KernelAttributes.NONE.with(KernelAttributes.PRIORITY, priority);
    String name = "softgpu-stream-" + Long.toHexString(handle());
    this.queue = context.device().simulator().queue(name, context);
    this.trace = context.device().tracing().stream(queue);
  }

  public Context context() {
    return context;
  }

  public Role role() {
    return role;
  }

  public int flags() {
    return flags;
  }

  public int priority() {
    return attributes.priority();
  }

  /** What {@code cuStreamSetAttribute} set, and the priority. */
  public KernelAttributes attributes() {
    return attributes;
  }

  /** Sets an attribute for work that is submitted from now on. */
  public synchronized void attribute(int id, byte[] value) {
    attributes = attributes.with(id, value);
  }

  /** Takes the attributes of another stream. */
  public synchronized void attributes(KernelAttributes all) {
    attributes = all;
  }

  /** True for streams that synchronise with the legacy default stream, and that stream itself. */
  public boolean blocking() {
    return (flags & Context.STREAM_NON_BLOCKING) == 0;
  }

  /** Does an operation in stream order, or adds it to the capture that the stream takes part in. */
  public void perform(Operation operation) {
    if (!context.captures().add(this, operation)) {
      submit(operation, List.of());
    }
  }

  /**
   * Puts work into the queue, behind the streams that the rules of the legacy stream name.
   *
   * @param after further positions to wait for
   * @return the position behind the work
   */
  public Marker submit(Work work, List<Marker> after) {
    List<Marker> all = blocking() ? context.implicitDependencies(this, after) : after;
    return trace.submit(WorkFault.instead(work), all);
  }

  /** Memory was allocated in the order of this stream; only who looks for races needs to know. */
  public void allocated(Allocation allocation) {
    trace.allocated(allocation);
  }

  /** The position behind all that was submitted so far. */
  public Marker tail() {
    return trace.tail();
  }

  /** True when nothing is queued or running. */
  public boolean idle() {
    return queue.idle();
  }

  /** Takes no more work; what is queued is still done. */
  void close() {
    queue.close();
  }

  @Nullable Capture capture() {
    return capture;
  }

  void capture(@Nullable Capture joined) {
    capture = joined;
  }

  Set<Node> dependencies() {
    return dependencies;
  }

  /** Keeps an array of the last query alive until the next one. */
  public synchronized void keep(MemorySegment array) {
    dependencyArray = array;
  }

  /** The array of the last query of the capture. */
  public synchronized MemorySegment kept() {
    return dependencyArray;
  }
}
