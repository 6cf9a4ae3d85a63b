package dev.reprise.graph.host;

import dev.reprise.cuda.Device;
import dev.reprise.graph.adapter.AdapterException;
import dev.reprise.graph.adapter.AdapterLease;
import dev.reprise.graph.autotune.AutotuneOptions;
import dev.reprise.graph.autotune.Autotuner;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.decode.DecodeEngine;
import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.DecodeSequence;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.WarmUpScope;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.schedule.RequestRefusedException.Reason;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves requests with one model on one device, with continuous batching.
 *
 * <p>One platform thread owns the device and turns a {@link DecodeEngine}. The tokens of a request
 * depend on the request alone: the same prompt, parameters and seed give the same tokens alone, in
 * any mix, after a preemption, and with a cached prefix.
 *
 * <p>Shapes that are not captured run eagerly and are captured when no request is there; a request
 * that arrives during a capture waits for that one. {@link #warmUp} captures ahead.
 *
 * <p>Any thread may call any method. The model is not closed with the host.
 */
public final class DecodeHost implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DecodeHost.class);

  private final DecodeEngine engine;
  private final EngineOptions options;
  private final LongSupplier clock;
  private final Inbox inbox = new Inbox();
  private final Thread thread;
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicLong names = new AtomicLong();
  private final CompletableFuture<DecodeMetrics> lastMetrics = new CompletableFuture<>();

  /** Requests that have not ended. Only the thread of the host uses it. */
  private final Set<RequestHandle> open = new LinkedHashSet<>();

  /** Why no more requests are taken; null while they are. */
  private volatile @Nullable RequestRefusedException refusal;

  // Both are the host's thread's own.
  private boolean closing;
  private boolean ended;

  private DecodeHost(DecodeEngine engine, EngineOptions options, LongSupplier clock) {
    this.engine = engine;
    this.options = options;
    this.clock = clock;
    this.thread = Thread.ofPlatform().name("decode host").unstarted(this::run);
  }

  /** Allocates everything that steps need and starts the thread. */
  public static DecodeHost start(Device device, DecodeModel model, EngineOptions options) {
    return start(device, model, options, System::nanoTime);
  }

  /**
   * As {@link #start(Device, DecodeModel, EngineOptions)}, with kernel variants chosen before:
   * those that are kept in a folder, else by measurement as far as the time for it goes. What was
   * chosen is among the {@link #metrics}.
   *
   * @throws IllegalStateException if a step of the model was prepared before
   */
  public static DecodeHost start(
      Device device, DecodeModel model, EngineOptions options, AutotuneOptions variants) {
    Autotuner.warmUp(model, options.decode(), variants);
    return start(device, model, options);
  }

  /**
   * As {@link #start(Device, DecodeModel, EngineOptions)}.
   *
   * @param clock nanoseconds, for deadlines
   */
  static DecodeHost start(
      Device device, DecodeModel model, EngineOptions options, LongSupplier clock) {
    DecodeHost host = new DecodeHost(DecodeEngine.create(device, model, options), options, clock);
    host.thread.start();
    return host;
  }

  /**
   * Takes a request.
   *
   * @throws RequestRefusedException if it cannot be taken, with the reason; nothing of it runs
   * @throws IllegalArgumentException if the prompt is empty, too long, or holds an id outside the
   *     vocabulary
   */
  public RequestHandle submit(Request request) {
    String name = "request " + names.incrementAndGet();
    int[] prompt = request.prompt();
    engine.checkPrompt(prompt);
    RequestRefusedException closed = refusal;
    if (closed != null) {
      throw refusedBecause(closed, name);
    }
    AdapterLease adapter = request.adapter().map(wanted -> lease(name, wanted)).orElse(null);
    try {
      return submit(name, request, prompt, adapter);
    } catch (RuntimeException e) {
      giveBack(adapter);
      throw e;
    }
  }

  private RequestHandle submit(
      String name, Request request, int[] prompt, @Nullable AdapterLease adapter) {
    RequestHandle handle =
        new RequestHandle(
            request,
            queued::decrementAndGet,
            done -> {
              open.remove(done);
              giveBack(adapter);
            },
            this::cancel,
            engine::readAt);
    DecodeSequence sequence = sequence(name, request, prompt, handle, adapter);
    engine.checkFits(sequence);
    handle.sequence(sequence);
    takePlace(name);
    if (!inbox.put(() -> begin(handle))) {
      queued.decrementAndGet();
      throw refusedBecause(refusal, name);
    }
    return handle;
  }

  private static void giveBack(@Nullable AdapterLease adapter) {
    if (adapter != null) {
      adapter.close();
    }
  }

  private AdapterLease lease(String name, String adapter) {
    try {
      return engine.adapters().lease(adapter);
    } catch (AdapterException e) {
      throw new RequestRefusedException(
          Reason.UNSUPPORTED,
          "%s wants adapter '%s', but %s".formatted(name, adapter, e.getMessage()));
    }
  }

  private static RequestRefusedException refusedBecause(
      @Nullable RequestRefusedException why, String name) {
    return why == null
        ? new RequestRefusedException(Reason.CLOSED, name + " is refused: the host is closed")
        : new RequestRefusedException(why.reason(), name + " is refused: " + why.getMessage());
  }

  private DecodeSequence sequence(
      String name,
      Request request,
      int[] prompt,
      RequestHandle handle,
      @Nullable AdapterLease adapter) {
    long deadline =
        request.timeout().map(t -> clock.getAsLong() + t.toNanos()).orElse(Long.MAX_VALUE);
    return new DecodeSequence(
        name,
        prompt,
        engine.maxLength(prompt.length, request.maxTokens()),
        request.sampling(),
        request.stopTokens(),
        request.priority(),
        request.flow(),
        deadline,
        handle.progress(),
        adapter);
  }

  /** One of the places in the queue, which is given back at the first admission. */
  private void takePlace(String name) {
    int most = options.maxWaiting();
    if (queued.getAndUpdate(n -> n < most ? n + 1 : n) >= most) {
      throw new RequestRefusedException(
          Reason.QUEUE_FULL,
          "%s is refused: %d requests are waiting, which is the limit; try again later"
              .formatted(name, most));
    }
  }

  private void begin(RequestHandle handle) {
    if (ended) {
      handle.abandon(FinishReason.CANCELLED, null);
      return;
    }
    open.add(handle);
    try {
      engine.submit(handle.sequence());
    } catch (RequestRefusedException e) {
      handle.abandon(FinishReason.FAILED, e);
    }
  }

  private void cancel(RequestHandle handle) {
    // If the host is gone, so is the request.
    inbox.put(() -> engine.cancel(handle.sequence()));
  }

  private void run() {
    RuntimeException failure = null;
    try {
      while (!closing) {
        Runnable command = inbox.poll();
        if (command != null) {
          command.run();
        } else if (!engine.turn(clock.getAsLong()) && !engine.captureWanted()) {
          inbox.await();
        }
      }
    } catch (Throwable e) {
      failure =
          e instanceof RuntimeException r ? r : new IllegalStateException("The host failed", e);
      LOG.error("The decode host ends because of a failure that no request explains", e);
    } finally {
      end(failure);
    }
  }

  /** Ends what is open, then frees the device's memory. */
  private void end(@Nullable RuntimeException failure) {
    if (failure != null) {
      refusal =
          new RequestRefusedException(
              Reason.DEVICE_LOST, "the host failed: " + failure.getMessage());
    }
    inbox.close();
    if (failure != null) {
      for (RequestHandle handle : List.copyOf(open)) {
        handle.abandon(FinishReason.FAILED, failure);
      }
    }
    try {
      lastMetrics.complete(engine.metrics());
      engine.close();
    } catch (RuntimeException e) {
      lastMetrics.completeExceptionally(e);
      LOG.error("Closing the decode engine failed", e);
    } finally {
      ended = true;
      for (Runnable left = inbox.poll(); left != null; left = inbox.poll()) {
        runAfterTheEnd(left);
      }
      for (RequestHandle handle : List.copyOf(open)) {
        handle.abandon(FinishReason.CANCELLED, null);
      }
    }
  }

  /** Commands that came too late still answer. */
  private void runAfterTheEnd(Runnable command) {
    try {
      command.run();
    } catch (RuntimeException e) {
      LOG.debug("A command after the end of the host", e);
    }
  }

  /** As {@link #warmUp(WarmUpScope)}, of {@link WarmUpScope#DECODE}. */
  public int warmUp() {
    return warmUp(WarmUpScope.DECODE);
  }

  /**
   * Captures the decode steps of all buckets, the largest first, between the steps of requests;
   * then those over prompts, if they are asked for. Waits until it is done.
   *
   * @return how many buckets of decode steps are captured
   */
  public int warmUp(WarmUpScope scope) {
    int captured = 0;
    for (Bucket bucket : options.decode().buckets().largestFirst()) {
      if (ask(() -> engine.warmUp(bucket, scope))) {
        captured++;
      }
    }
    if (scope.prompts()) {
      ask(() -> engine.warmUpPrompts(scope));
    }
    return captured;
  }

  /** Loads and unloads adapters. */
  public HostAdapters adapters() {
    return new HostAdapters(engine, this::ask);
  }

  /** The thread that owns the device. */
  Thread thread() {
    return thread;
  }

  /** Counters and gauges; after the end those of the end. */
  public DecodeMetrics metrics() {
    CompletableFuture<DecodeMetrics> answer = new CompletableFuture<>();
    if (!inbox.put(() -> answer(answer, engine::metrics))) {
      return lastMetrics.join();
    }
    return answer.join();
  }

  private <T> T ask(Supplier<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (!inbox.put(() -> answer(answer, question))) {
      throw refusedBecause(refusal, "a question");
    }
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static <T> void answer(CompletableFuture<T> answer, Supplier<T> question) {
    try {
      answer.complete(question.get());
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  /** Takes no more requests, cancels those there are, and frees the device's memory. Waits. */
  @Override
  public void close() {
    if (refusal == null) {
      refusal = new RequestRefusedException(Reason.CLOSED, "the host is closed");
    }
    inbox.put(() -> closing = true);
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "DecodeHost[" + engine + "]";
  }
}
