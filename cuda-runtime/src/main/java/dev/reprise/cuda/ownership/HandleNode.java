package dev.reprise.cuda.ownership;

import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A driver object and how to destroy it, apart from the object that stands for it in the program.
 *
 * <p>A node counts its references: one from its façade until that is closed, one from each child,
 * one from each graph that captured it. With the last one gone it goes to the {@link Retirement}
 * queue, is destroyed once no stream can still be using it, and then lets go of its parents.
 *
 * <p>Thread-safe.
 */
public abstract class HandleNode {

  private static final VarHandle REFERENCES;
  private static final VarHandle CLOSED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      REFERENCES = lookup.findVarHandle(HandleNode.class, "references", int.class);
      CLOSED = lookup.findVarHandle(HandleNode.class, "closed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ResourceKind kind;
  private final String label;
  private final Retirement retirement;
  private final List<? extends HandleNode> parents;
  private final LastUses uses = new LastUses();
  private final @Nullable Site created;

  private volatile @Nullable Site closedAt;
  private volatile int references = 1;
  private volatile boolean closed;
  private LeakWatch.@Nullable Registration watch;

  /**
   * A node for a driver object that exists. The caller has retained the parents for it, see {@link
   * #under}.
   */
  protected HandleNode(
      ResourceKind kind,
      String label,
      Retirement retirement,
      List<? extends HandleNode> retainedParents) {
    this.kind = kind;
    this.label = label;
    this.retirement = retirement;
    this.parents = retainedParents;
    this.created =
        retirement.diagnostics().creationSites()
            ? new Site("%s '%s' was created here".formatted(kind.typeName(), label))
            : null;
    LiveCounts.created(kind);
  }

  /** Retains the parent, then makes a child of it; a failure leaves nothing behind. */
  public static <T> T under(HandleNode parent, Supplier<T> make) {
    parent.retain();
    try {
      return make.get();
    } catch (Throwable e) {
      parent.release();
      throw e;
    }
  }

  /**
   * Destroys the driver object. Called once, never during a capture unless {@link #destroyMayWait};
   * may throw.
   */
  protected abstract void destroy();

  /**
   * Whether {@link #destroy} may wait for work of other objects; then a thread of its own calls it,
   * possibly during a capture of another thread, so that it holds up nothing.
   */
  protected boolean destroyMayWait() {
    return false;
  }

  /**
   * Has {@link #destroy} called without waiting for the uses on a stream, because it takes effect
   * in the order of that stream. Called by the constructor.
   */
  protected final void destroyedInOrderOf(StreamClock clock) {
    uses.destroyedInOrderOf(clock);
  }

  /** Called once when the façade is closed, before the reference goes; not for a leak. */
  protected void closing() {}

  /** Whether this is the context itself, which goes last. */
  final boolean isContext() {
    return kind == ResourceKind.DEVICE;
  }

  /** What it is. */
  public final ResourceKind kind() {
    return kind;
  }

  /** Its label. */
  public final String label() {
    return label;
  }

  /** Where it was created, if creation sites are kept. */
  public final @Nullable Throwable creationSite() {
    return created;
  }

  /** Whether the façade is closed. */
  public final boolean isClosed() {
    return closed;
  }

  /** Throws if the façade is closed. */
  public final void checkOpen() {
    if (closed) {
      throw useAfterClose();
    }
  }

  private IllegalStateException useAfterClose() {
    IllegalStateException e =
        new IllegalStateException(
            "%s '%s' is closed.%s"
                .formatted(
                    kind.typeName(),
                    label,
                    created == null
                        ? " Turn on Diagnostics.creationSites to see where it was created."
                        : ""),
            created);
    Site site = closedAt;
    if (site != null) {
      e.addSuppressed(site);
    }
    return e;
  }

  /** Closes the façade; does nothing if it is closed already. */
  public final void close() {
    if (!CLOSED.compareAndSet(this, false, true)) {
      return;
    }
    if (created != null) {
      closedAt = new Site("%s '%s' was closed here".formatted(kind.typeName(), label));
      OpenObjects.remove(this);
    }
    if (watch != null) {
      watch.cancel();
    }
    closing();
    release();
  }

  /** Reports a leak once {@code facade} is collected unclosed. Called once, by the creator. */
  public final void watch(Object facade) {
    watch = LeakWatch.watch(facade, this);
    if (created != null) {
      OpenObjects.add(this);
    }
  }

  /** How much memory it stands for; 0 for what is not memory. */
  protected long memoryBytes() {
    return 0;
  }

  /** What is reported about it if nobody closes it. */
  final Leak leak() {
    return new Leak(kind, label, memoryBytes(), created);
  }

  /** The façade was collected. Makes no driver call. */
  final void abandoned() {
    if (!CLOSED.compareAndSet(this, false, true)) {
      return;
    }
    if (created != null) {
      OpenObjects.remove(this);
    }
    Leak lost = leak();
    retirement.report(listener -> listener.leaked(lost));
    if (dropReference()) {
      retirement.retireLater(this);
    }
  }

  /** Keeps the driver object alive until {@link #release()}. */
  public final void retain() {
    if (!tryRetain()) {
      throw useAfterClose();
    }
  }

  /** As {@link #retain()}; false if the object is on its way out. */
  public final boolean tryRetain() {
    for (int now = references; now > 0; now = references) {
      if (REFERENCES.compareAndSet(this, now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Undoes one {@link #retain()}. */
  public final void release() {
    if (dropReference()) {
      retirement.retire(this);
    }
  }

  private boolean dropReference() {
    int left = (int) REFERENCES.getAndAdd(this, -1) - 1;
    if (left < 0) {
      throw new AssertionError(
          "%s '%s' was released more often than retained".formatted(kind.typeName(), label));
    }
    return left == 0;
  }

  /** Notes that the operation of this ticket uses the object; the clock's lock is held. */
  public final void markUse(StreamClock clock, long ticket) {
    uses.mark(clock, ticket);
  }

  final LastUses uses() {
    return uses;
  }

  final List<? extends HandleNode> parents() {
    return parents;
  }

  /**
   * Takes over the uses of another object: this one is then not destroyed before the other could
   * be, as far as that has been used until now. Not called under a clock's lock.
   */
  public final void alsoUsedBy(HandleNode user) {
    user.uses.copyTo(uses);
  }

  /** Tells the listener; what the listener throws is logged. */
  protected final void report(Consumer<DiagnosticsListener> report) {
    retirement.report(report);
  }
}
