package dev.reprise.cli.model;

import dev.reprise.cli.model.Prediction.Column;
import dev.reprise.cli.model.Prediction.Fact;
import dev.reprise.cli.text.ByteSize;
import dev.reprise.graph.model.AmdahlBound;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.FusionSavings;
import dev.reprise.graph.model.LaunchCost;
import dev.reprise.graph.model.ModelShape;
import dev.reprise.graph.model.Roofline;
import dev.reprise.graph.model.TileLedger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The parts of the performance model, ready to be printed. */
public final class Predictions {

  private Predictions() {}

  /** The ledger of a tile. */
  public static Prediction tile(TileLedger tile, String type) {
    String basis =
        "tile %d x %d x %d, %s elements of %d bytes, %d stages"
            .formatted(tile.m(), tile.n(), tile.k(), type, tile.elementBytes(), tile.stages());
    return new Prediction(
        "tile",
        basis,
        List.of(
            bytes("shared_bytes", "shared memory", tile.sharedBytes()),
            bytes("shared_limit_bytes", "limit", tile.sharedLimit()),
            fact("fits", "fits", tile.fits()),
            fact("most_stages", "most stages that fit", tile.mostStages()),
            fact("flops", "flops of a stage", tile.flops()),
            bytes("hbm_bytes", "HBM bytes of a stage", tile.hbmBytes()),
            fact("intensity", "flops a byte", tile.intensity()),
            bytes("accumulator_bytes", "32-bit sums, in registers", tile.accumulatorBytes())),
        List.of(),
        List.of());
  }

  /** The roofline of a decode step. */
  public static Prediction roofline(
      DeviceModel device, ModelShape model, List<Integer> rowCounts, int context) {
    Roofline roofline = new Roofline(device.bytesPerSecond(), device.flops(model.weightBytes()));
    List<List<Object>> rows = new ArrayList<>();
    for (int count : rowCounts) {
      double bytes = model.stepBytes(count, context);
      double flops = model.stepFlops(count, context);
      double micros = roofline.micros(bytes, flops);
      rows.add(
          List.of(
              count,
              bytes / 1e6,
              flops / 1e9,
              flops / bytes,
              roofline.bytesMicros(bytes),
              roofline.flopsMicros(flops),
              roofline.boundByBytes(bytes, flops) ? "bytes" : "flops",
              count / micros * 1e6));
    }
    return new Prediction(
        "roofline",
        "a decode step of %s on %s, contexts of %d, published peaks"
            .formatted(model.name(), device.title(), context),
        List.of(
            fact("bandwidth_gb_s", "bandwidth, GB/s", device.bytesPerSecond() / 1e9),
            fact("rate_tflop_s", "rate, Tflop/s", device.flops(model.weightBytes()) / 1e12),
            fact("ridge", "ridge, flops a byte", roofline.ridge())),
        List.of(
            new Column("rows", "rows"),
            new Column("mb", "MB"),
            new Column("gflop", "Gflop"),
            new Column("intensity", "flops a byte"),
            new Column("bytes_us", "bytes us"),
            new Column("flops_us", "flops us"),
            new Column("bound", "bound by"),
            new Column("tokens_s", "tokens/s at most")),
        rows);
  }

  /** Launching a step kernel by kernel against as one graph. */
  public static Prediction launch(LaunchCost cost, int kernels, double kernelMicros, String basis) {
    double eager = cost.eagerMicros(kernels, kernelMicros);
    double replay = cost.replayMicros(kernels, kernelMicros);
    return new Prediction(
        "launch",
        basis,
        List.of(
            fact("kernels", "kernels of a step, K", kernels),
            fact("kernel_us", "time of the kernels, us", kernelMicros),
            fact("host_us", "K t_l, us", cost.eagerHostMicros(kernels)),
            fact("eager_us", "eager step at least, us", eager),
            fact("launch_bound", "bound by launches", cost.launchBound(kernels, kernelMicros)),
            fact("replay_us", "replayed step at least, us", replay),
            fact("speedup", "replay is faster by", eager / replay),
            new Fact(
                "break_even_kernels",
                "pays from K =",
                cost.breakEvenKernels().isPresent()
                    ? (Object) cost.breakEvenKernels().getAsInt()
                    : (Object) Double.POSITIVE_INFINITY,
                cost.breakEvenKernels().isPresent()
                    ? Integer.toString(cost.breakEvenKernels().getAsInt())
                    : "never")),
        List.of(),
        List.of());
  }

  /** What fusing a chain of kernels saves. */
  public static Prediction fusion(FusionSavings fused, DeviceModel device, double launchMicros) {
    double moved = fused.bytes() / device.bytesPerSecond() * 1e6;
    return new Prediction(
        "fusion",
        "%d kernels in a chain on %s, arrays of %d elements of %d bytes between them"
            .formatted(fused.kernels(), device.title(), fused.elements(), fused.elementBytes()),
        List.of(
            bytes("saved_bytes", "bytes no longer moved", fused.bytes()),
            fact("bytes_us", "their time, us", moved),
            fact("launches", "launches no longer made", fused.launches()),
            fact("launch_us", "their time, us", fused.launches() * launchMicros),
            fact(
                "saved_us",
                "saved at most, us",
                fused.micros(device.bytesPerSecond(), launchMicros))),
        List.of(),
        List.of());
  }

  /**
   * Amdahl's bound of a step.
   *
   * @param parts times by part, in microseconds
   * @param faster factors by part
   */
  public static Prediction amdahl(Map<String, Double> parts, Map<String, Double> faster) {
    AmdahlBound bound = new AmdahlBound(parts);
    List<List<Object>> rows = new ArrayList<>();
    for (String part : new LinkedHashMap<>(parts).keySet()) {
      rows.add(List.of(part, bound.time(part), 100 * bound.share(part), bound.bound(part)));
    }
    List<Fact> facts = new ArrayList<>();
    facts.add(fact("total_us", "whole step, us", bound.total()));
    if (!faster.isEmpty()) {
      double speedup = bound.speedup(faster);
      String what =
          faster.entrySet().stream()
              .map(e -> e.getKey() + " by " + Prediction.text(e.getValue()))
              .collect(Collectors.joining(", "));
      facts.add(fact("speedup", "faster with " + what, speedup));
      facts.add(fact("faster_us", "step then, us", bound.total() / speedup));
    }
    return new Prediction(
        "amdahl",
        "from the times given for its parts, which follow one another",
        facts,
        List.of(
            new Column("part", "part"),
            new Column("us", "us"),
            new Column("share_percent", "share %"),
            new Column("bound", "step faster at most by")),
        rows);
  }

  static Fact fact(String key, String title, Object value) {
    return new Fact(key, title, value, Prediction.text(value));
  }

  private static Fact bytes(String key, String title, long bytes) {
    String text = Prediction.text(bytes);
    return new Fact(
        key, title, bytes, bytes < 1024 ? text : text + " (" + ByteSize.text(bytes) + ")");
  }
}
