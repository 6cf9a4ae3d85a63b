package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;
import java.util.EnumMap;
import java.util.Map;

/** Counts the steps of a runner. Allocates nothing for a replay. */
final class StepCounters {

  private final Map<EagerReason, Long> eager = new EnumMap<>(EagerReason.class);
  private final Map<EagerReason, Long> eagerPrefills = new EnumMap<>(EagerReason.class);
  private long prefills;
  private long prefillReplays;
  private long replays;
  private long prefillNanos;
  private long eagerNanos;
  private long replayNanos;
  private long liveRows;
  private long paddingRows;
  private long uploadedBytes;

  void uploaded(long bytes) {
    uploadedBytes += bytes;
  }

  void eager(PreparedStep step, EagerReason reason) {
    (step.shape.prefill() ? eagerPrefills : eager).merge(reason, 1L, Long::sum);
  }

  void launched(PreparedStep step, boolean replay, int live) {
    if (step.shape.prefill()) {
      prefills++;
      prefillReplays += replay ? 1 : 0;
    } else if (replay) {
      replays++;
    }
    step.steps++;
    step.liveRows += live;
    liveRows += live;
    paddingRows += step.shape.bucket().rows() - live;
  }

  void took(PreparedStep step, boolean replay, long nanos) {
    step.took(replay, nanos);
    if (step.shape.prefill()) {
      prefillNanos += nanos;
    } else if (replay) {
      replayNanos += nanos;
    } else {
      eagerNanos += nanos;
    }
  }

  DecodeStatistics statistics(StepGraphs graphs, long kvBytes, long workspaceBytes) {
    return new DecodeStatistics(
        prefills,
        eager.values().stream().mapToLong(Long::longValue).sum(),
        replays,
        graphs.costs(),
        graphs.failures(),
        liveRows,
        paddingRows,
        uploadedBytes,
        kvBytes,
        workspaceBytes);
  }

  StepMetrics metrics(Map<Bucket, BucketUse> buckets, long audits) {
    return new StepMetrics(
        prefills,
        prefillReplays,
        Map.copyOf(eagerPrefills),
        replays,
        Map.copyOf(eager),
        prefillNanos,
        eagerNanos,
        replayNanos,
        buckets,
        uploadedBytes,
        audits);
  }
}
