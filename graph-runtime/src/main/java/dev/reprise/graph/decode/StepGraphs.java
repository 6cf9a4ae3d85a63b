package dev.reprise.graph.decode;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.cache.CaptureCost;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.cache.GraphCache;
import dev.reprise.graph.cache.GraphKey;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The captured steps of one decode loop: captures the step of a shape when it is first asked for,
 * and keeps from trying again where that failed.
 */
final class StepGraphs implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StepGraphs.class);

  private final Device device;
  private final Stream stream;
  private final GraphKey.Environment environment;
  private final GraphCache cache = new GraphCache();
  private final Set<GraphKey> quarantined = new HashSet<>();
  private final Map<String, Long> failures = new TreeMap<>();
  private long nanos;

  StepGraphs(Device device, Stream stream, GraphKey.Environment environment) {
    this.device = device;
    this.stream = stream;
    this.environment = environment;
  }

  /**
   * The captured step of a shape, captured now if there is none. Waits for the upload.
   *
   * @return null if the capture failed, now or before; the failure is logged and counted
   * @throws CudaException if the failure poisoned the context
   */
  @Nullable CapturedStep get(StepShape shape, Step step) {
    Bucket bucket = shape.bucket();
    GraphKey key = new GraphKey(environment, bucket.rows(), bucket.context(), shape.logitRows());
    CapturedStep found = cache.find(key);
    if (found != null || quarantined.contains(key)) {
      return found;
    }
    if (LOG.isDebugEnabled()) {
      LOG.debug("Capturing {}: differs in {}", shape, cache.explainMiss(key));
    }
    long start = System.nanoTime();
    try {
      CapturedStep captured = capture(key, step);
      cache.add(captured);
      return captured;
    } catch (CudaException e) {
      if (e.contextPoisoned()) {
        throw e;
      }
      quarantined.add(key);
      failures.merge(e.name(), 1L, Long::sum);
      LOG.warn("The capture of {} failed, so its steps run eagerly: {}", shape, e.getMessage());
      LOG.debug("Where the capture failed", e);
      return null;
    } finally {
      nanos += System.nanoTime() - start;
    }
  }

  private CapturedStep capture(GraphKey key, Step step) {
    long freeBefore = device.memoryInfo().freeBytes();
    long start = System.nanoTime();
    Graph graph = stream.capture(capture -> step.enqueue(stream));
    long captured = System.nanoTime();
    GraphExec exec = null;
    try {
      exec = graph.instantiate();
      long instantiated = System.nanoTime();
      exec.upload(stream);
      stream.synchronize();
      long uploaded = System.nanoTime();
      CaptureCost cost =
          new CaptureCost(
              captured - start,
              instantiated - captured,
              uploaded - instantiated,
              freeBefore - device.memoryInfo().freeBytes(),
              graph.nodeCount());
      return new CapturedStep(key, graph, exec, cost);
    } catch (RuntimeException e) {
      if (exec != null) {
        exec.close();
      }
      graph.close();
      throw e;
    }
  }

  /** Host time of all captures so far, instantiation and upload included. */
  long nanos() {
    return nanos;
  }

  /** What each captured step cost, in order of capture. */
  Map<StepShape, CaptureCost> costs() {
    Map<StepShape, CaptureCost> costs = new LinkedHashMap<>();
    for (CapturedStep step : cache.steps()) {
      GraphKey key = step.key();
      costs.put(new StepShape(new Bucket(key.rows(), key.context()), key.logitRows()), step.cost());
    }
    return costs;
  }

  /** How often captures failed, by the name of the error. */
  Map<String, Long> failures() {
    return Map.copyOf(failures);
  }

  @Override
  public void close() {
    cache.close();
  }
}
