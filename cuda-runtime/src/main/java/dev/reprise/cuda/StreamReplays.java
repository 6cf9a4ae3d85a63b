package dev.reprise.cuda;

import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.StreamClock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The executable graphs that are issued to one stream, for {@link GraphExec} and {@link Graph}. */
final class StreamReplays {

  private final Stream stream;
  private final StreamHandle handle;
  private final StreamClock clock;

  /** Its operations for the check of accesses; null when that is off. */
  private final @Nullable StreamAccess access;

  StreamReplays(Stream stream) {
    this.stream = stream;
    this.handle = stream.handle();
    this.clock = handle.clock();
    this.access = handle.access();
  }

  /** Issues a replay, see {@link GraphExec#replay}; the lock of the graph is held. */
  void replay(GraphExec exec) {
    clock.lock();
    try {
      refuseInCapture(exec, "replayed");
      exec.handle().markUse(clock, stream.issue());
      Stream.orderUseBeforeCheck();
      handle.checkOpen();
      exec.handle().checkOpen();
      exec.checkFresh();
      if (exec.callsHost()) {
        HostFunctionsAtExit.willCall(handle, "A replay of graph", exec.label());
      }
      StreamAccess checked = access;
      if (checked != null) {
        checkedReplay(exec, checked);
      } else {
        exec.launch(handle);
      }
    } finally {
      clock.unlock();
    }
  }

  private void checkedReplay(GraphExec exec, StreamAccess checked) {
    exec.checkReplay(checked);
    boolean issued = false;
    try {
      exec.launch(handle);
      issued = true;
    } finally {
      if (!issued) {
        checked.withdraw();
      }
    }
    exec.replayIssued(checked);
  }

  /** Issues an upload, see {@link GraphExec#upload}; the lock of the graph is held. */
  void upload(GraphExec exec) {
    clock.lock();
    try {
      refuseInCapture(exec, "uploaded");
      stream.use(exec.handle(), stream.begin());
      exec.checkFresh();
      GraphCalls.upload(handle.context(), exec.handle(), handle);
    } finally {
      clock.unlock();
    }
  }

  /** Makes an executable graph and uploads it, as one operation. */
  GraphExec instantiate(Supplier<GraphExec> make) {
    clock.lock();
    try {
      if (stream.capture() != null) {
        throw new IllegalStateException(
            "A graph cannot be uploaded on stream '%s' while the stream is captured."
                .formatted(stream.label()));
      }
      long ticket = stream.begin();
      GraphExec exec = make.get();
      exec.handle().markUse(clock, ticket);
      return exec;
    } finally {
      clock.unlock();
    }
  }

  private void refuseInCapture(GraphExec exec, String done) {
    if (stream.capture() != null) {
      throw new IllegalStateException(
          "Graph '%s' cannot be %s on stream '%s' while the stream is captured."
              .formatted(exec.label(), done, stream.label()));
    }
  }
}
