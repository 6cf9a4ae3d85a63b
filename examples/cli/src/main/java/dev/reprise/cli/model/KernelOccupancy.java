package dev.reprise.cli.model;

import dev.reprise.cli.model.Prediction.Column;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.ModelShape;
import dev.reprise.graph.model.Occupancy;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.contract.Bindings;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.ResourceUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Occupancy of this project's kernels in a decode step: block sizes from their contracts, registers
 * and shared memory from what ptxas reported when their PTX was made.
 */
public final class KernelOccupancy {

  /** The rank of adapters that their kernels are shown for; 16 is usual. */
  private static final int ADAPTER_RANK = 16;

  private static final int STANDARD_WARPS = 4;
  private static final int STANDARD_ROWS = 4;
  private static final int SPLITS = 2;

  private KernelOccupancy() {}

  /** The kernels that a step of a model may launch, on devices. */
  public static Prediction of(List<DeviceModel> devices, ModelShape model, int rows) {
    Bindings bindings = bindings(model, rows);
    List<List<Object>> table = new ArrayList<>();
    for (DeviceModel device : devices) {
      for (KernelContract contract : Kernels.contracts()) {
        if (serves(contract.name(), model)) {
          Bindings own = bindings.bind("warps", warps(contract, model));
          table.add(row(device, contract, contract.geometry().config().apply(own)));
        }
      }
    }
    return new Prediction(
        "occupancy",
        "a decode step of %s with %d rows, standard variants, split attention in 2; registers and shared memory from ptxas for the nearest"
                .formatted(model.name(), rows)
            + " architecture listed, limits as published",
        List.of(),
        List.of(
            new Column("kernel", "kernel"),
            new Column("device", "device"),
            new Column("architecture", "ptxas for"),
            new Column("threads", "threads"),
            new Column("registers", "registers"),
            new Column("shared_bytes", "shared"),
            new Column("blocks_per_sm", "blocks/SM"),
            new Column("warps_per_sm", "warps/SM"),
            new Column("occupancy_percent", "occupancy %"),
            new Column("limited_by", "limited by"),
            new Column("grid_blocks", "grid"),
            new Column("waves", "waves")),
        table);
  }

  /** The symbols that decide block and grid; the widest product stands for all. */
  private static Bindings bindings(ModelShape model, int rows) {
    return new Bindings()
        .bind("rows", rows)
        .bind("logitsRows", rows)
        .bind("dim", model.width())
        .bind("n", model.width())
        .bind("in", model.width())
        .bind("out", 2L * model.feedForward())
        .bind("ff", model.feedForward())
        .bind("heads", model.heads())
        .bind("headDim", model.headDim())
        .bind("qkvWidth", (long) model.headDim() * (model.heads() + 2L * model.kvHeads()))
        .bind("maxRank", ADAPTER_RANK)
        .bind("rowTile", STANDARD_ROWS)
        .bind("splits", SPLITS)
        .bind("vocab", model.vocabulary());
  }

  /** Warps of a block in the standard variant of a kernel. */
  private static int warps(KernelContract contract, ModelShape model) {
    if (!contract.module().equals("activation")) {
      return STANDARD_WARPS;
    }
    int wanted = Math.clamp(Math.ceilDiv(model.feedForward(), 128), 1, STANDARD_WARPS);
    return Integer.highestOneBit(wanted);
  }

  private static boolean serves(String kernel, ModelShape model) {
    if (kernel.startsWith("paged_attention_")) {
      return kernel.endsWith("_" + model.headDim());
    }
    String other = model.weightBytes() == 2 ? "_f32" : "_f16";
    return !kernel.contains(other);
  }

  private static List<Object> row(
      DeviceModel device, KernelContract contract, LaunchConfig launch) {
    ResourceUse use = nearest(contract, device);
    int threads = Math.toIntExact(launch.threadsPerBlock());
    long shared = use.sharedBytes() + (long) launch.dynamicSharedBytes();
    Occupancy occupancy = Occupancy.of(device, threads, use.registers(), shared);
    long grid = (long) launch.gridX() * launch.gridY() * launch.gridZ();
    double waves =
        occupancy.blocks() == 0
            ? Double.POSITIVE_INFINITY
            : (double) grid / ((long) occupancy.blocks() * device.multiprocessors());
    return List.of(
        contract.name(),
        device.title(),
        use.device(),
        threads,
        use.registers(),
        shared,
        occupancy.blocks(),
        occupancy.warps(),
        100 * occupancy.share(),
        occupancy.limitedBy().name().toLowerCase(Locale.ROOT),
        grid,
        waves);
  }

  /** The newest architecture that ptxas was asked for and that is not newer than the device. */
  private static ResourceUse nearest(KernelContract contract, DeviceModel device) {
    return contract.resources().stream()
        .filter(use -> number(use.device()) <= number(device.architecture()))
        .max(Comparator.comparingInt(use -> number(use.device())))
        .orElseThrow(() ->
            new IllegalStateException(
                "no resource use of " + contract.name() + " for " + device.architecture()));
  }

  private static int number(String architecture) {
    return Integer.parseInt(architecture.substring("sm_".length()));
  }
}
