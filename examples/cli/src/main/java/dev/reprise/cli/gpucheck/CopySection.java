package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.Sample;
import dev.reprise.cli.measure.Summary;
import dev.reprise.cli.measure.Table;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.Stream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

/** Bandwidth of copies between page-locked host memory and the device, and on the device. */
final class CopySection implements Section {

  private static final int LEAST_ROUNDS = 5;
  private static final int MOST_ROUNDS = 50;

  /** Copies of one measurement move at least this much, so that an event's resolution is enough. */
  private static final long LEAST_BYTES = 1 << 20;

  private enum Direction {
    TO_DEVICE("host to device"),
    TO_HOST("device to host"),
    ON_DEVICE("device to device");

    private final String text;

    Direction(String text) {
      this.text = text;
    }
  }

  @Override
  public String key() {
    return "copies";
  }

  @Override
  public String title() {
    return "Copy bandwidth";
  }

  @Override
  public boolean timed() {
    return true;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    long largest = plan.copyBytes().getLast();
    try (Device device = Device.open(0);
        Stream stream = device.createStream("copies");
        PinnedBuffer there = device.allocatePinned("copies there", largest);
        PinnedBuffer back = device.allocatePinned("copies back", largest);
        DeviceBuffer one = device.allocate("copies 1", largest);
        DeviceBuffer two = device.allocate("copies 2", largest);
        Event start = device.createTimingEvent("start");
        Event end = device.createTimingEvent("end")) {
      fill(there.segment());
      back.segment().fill((byte) 0);
      stream.copyToDevice(there, 0, one, 0, largest);
      stream.copy(one, 0, two, 0, largest);
      stream.copyToHost(two, 0, back, 0, largest);
      stream.synchronize();
      long different = there.segment().mismatch(back.segment());
      log.check(
          "%d bytes come back as they went".formatted(largest),
          different < 0,
          different < 0 ? "all of them" : "byte %d differs".formatted(different));
      Table table =
          log.table(
              "copies",
              "Copies, timed by events of the stream; device to device counts a byte once",
              Table.column("direction", "direction"),
              Table.column("bytes", "bytes"),
              Table.column("count", "measurements"),
              Table.column("median_gb_per_s", "median GB/s"),
              Table.column("p10_gb_per_s", "p10"),
              Table.column("p90_gb_per_s", "p90"));
      List<Long> sizes = plan.copyBytes();
      for (Direction direction : Direction.values()) {
        for (long bytes : sizes) {
          CheckPlan.Deadline deadline = plan.deadline(0.1 / sizes.size() / 3);
          Sample sample = new Sample();
          int copies = Math.toIntExact(Math.max(1, LEAST_BYTES / bytes));
          for (int i = 0; i < MOST_ROUNDS && (i < LEAST_ROUNDS || !deadline.passed()); i++) {
            stream.record(start);
            for (int copy = 0; copy < copies; copy++) {
              switch (direction) {
                case TO_DEVICE -> stream.copyToDevice(there, 0, one, 0, bytes);
                case TO_HOST -> stream.copyToHost(one, 0, back, 0, bytes);
                case ON_DEVICE -> stream.copy(one, 0, two, 0, bytes);
              }
            }
            stream.record(end);
            end.synchronize();
            sample.add(bytes * copies / 1e6 / end.elapsedMillis(start));
          }
          Summary rate = sample.summary();
          table.add(direction.text, bytes, rate.count(), rate.median(), rate.p10(), rate.p90());
          if (bytes == largest) {
            log.headline("%s: %s GB/s".formatted(direction.text, Numbers.text(rate)));
          }
        }
      }
    }
  }

  private static void fill(MemorySegment segment) {
    Random random = new Random(CheckPlan.SEED);
    for (long at = 0; at + Long.BYTES <= segment.byteSize(); at += Long.BYTES) {
      segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
    }
  }
}
