package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.HostWorkLeft;
import dev.reprise.cuda.diagnostics.Leak;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** A process of its own, which ends while a stream has host functions, and says what it saw. */
final class EndingProcess {

  /** Counted down once the process is ending. */
  private static final CountDownLatch ENDING = new CountDownLatch(1);

  /** Counted down once the runtime has waited in vain. */
  private static final CountDownLatch LEFT = new CountDownLatch(1);

  /** Keeps objects from being collected. */
  private static final List<Object> KEPT = new ArrayList<>();

  private EndingProcess() {}

  @SuppressWarnings("SystemOut") // read by the test that started the process
  private static void say(String line) {
    System.out.println(line);
  }

  private static final DiagnosticsListener LISTENER =
      new DiagnosticsListener() {
        @Override
        public void leaked(Leak leak) {}

        @Override
        public void openAtExit(Leak open) {
          say(open.describeAtExit());
          say("  " + String.valueOf(open.creationSite()).lines().findFirst().orElse(""));
        }

        @Override
        public void cleanupFailed(CleanupFailure failure) {
          say(failure.describe());
        }

        @Override
        public void hostFunctionFailed(HostFunctionFailure failure) {
          say(failure.describe());
        }

        @Override
        public void hostWorkLeft(HostWorkLeft left) {
          say(left.describe());
          LEFT.countDown();
        }
      };

  static void main(String[] args) throws InterruptedException {
    if (args[0].equals("open")) {
      leaveOpen();
      System.exit(3);
    }
    Device device = Device.open(0, Diagnostics.standard().withListener(LISTENER));
    Stream stream = device.createStream("main");
    CountDownLatch begun = new CountDownLatch(1);
    switch (args[0]) {
      case "launched" -> {
        stream.launchHost("first", () -> untilEnding(begun, "first"));
        stream.launchHost("second", () -> say("second is done"));
      }
      case "closed" -> {
        stream.launchHost("first", () -> untilEnding(begun, "first"));
        stream.launchHost("second", () -> say("second is done"));
        begun.await();
        stream.close();
        device.close();
      }
      case "replayed" -> {
        Graph graph =
            stream.capture(capture -> {
              stream.launchHost("first", () -> untilEnding(begun, "first"));
              stream.launchHost("second", () -> say("second is done"));
            });
        graph.instantiate().replay(stream);
      }
      case "handed-over" ->
          stream.launchHost("first", () -> say("task is done"), task -> runOnceEnding(begun, task));
      case "refused" -> {
        stream.launchHost("first", begun::countDown);
        GraphExec exec =
            stream.capture(capture -> stream.launchHost("replayed", () -> {})).instantiate();
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(() -> {
                  untilRefused(() -> stream.launchHost("late", () -> {}));
                  untilRefused(() -> exec.replay(stream));
                }));
      }
      case "endless" -> {
        stream.launchHost(
            "endless",
            () -> {
              begun.countDown();
              LEFT.await();
            });
        stream.launchHost("behind", () -> say("must not run"));
        // It returns too late, while this hook still holds the process.
        Runtime.getRuntime()
            .addShutdownHook(new Thread(() -> Eventually.isTrue("returned", stream::isComplete)));
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
    begun.await();
    Runtime.getRuntime().addShutdownHook(new Thread(ENDING::countDown));
    System.exit(3);
  }

  private static void leaveOpen() {
    Diagnostics diagnostics = Diagnostics.standard().withListener(LISTENER);
    Device device = Device.open(0, diagnostics.withCreationSites());
    device.allocate("closed", 64).close();
    KEPT.add(device.allocate("weights", 4096));
    KEPT.add(device.createStream("main"));
    KEPT.add(device);
    // Without creation sites nothing is kept about objects.
    Device other = Device.open(0, diagnostics);
    KEPT.add(other.allocate("unseen", 64));
    KEPT.add(other);
  }

  /** Works for a while after the process began to end. */
  private static void untilEnding(CountDownLatch begun, String name) throws InterruptedException {
    begun.countDown();
    ENDING.await();
    Thread.sleep(300);
    say(name + " is done");
  }

  /** An executor that takes its time and is the thread of the driver. */
  private static void runOnceEnding(CountDownLatch begun, Runnable task) {
    try {
      untilEnding(begun, "hand-over");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    task.run();
  }

  /** Both hooks run at once, so that the runtime's may come later. */
  private static void untilRefused(Runnable call) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < 20_000_000_000L) {
      try {
        call.run();
        LockSupport.parkNanos(1_000_000);
      } catch (IllegalStateException e) {
        say(String.valueOf(e.getMessage()));
        return;
      }
    }
    say("not refused");
  }
}
