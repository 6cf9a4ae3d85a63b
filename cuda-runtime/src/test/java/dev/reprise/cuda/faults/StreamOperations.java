package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Operation.closing;
import static dev.reprise.cuda.faults.Operation.of;
import static dev.reprise.cuda.faults.Workbench.BYTES;

import dev.reprise.cuda.BufferOptions;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchAttributes;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.MemoryPool;
import dev.reprise.cuda.PitchedMemory;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.WaitCondition;
import dev.reprise.cuda.WordOperation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/** Operations of streams, captures included. */
final class StreamOperations {

  private StreamOperations() {}

  static List<Operation> all() {
    return java.util.stream.Stream.of(copies(), values(), work(), captures())
        .flatMap(List::stream)
        .toList();
  }

  private static Operation simple(String name, Consumer<Workbench> use) {
    return of(name, bench -> () -> use.accept(bench));
  }

  private static PitchedMemory rows(Workbench bench) {
    return PitchedMemory.of(bench.a, 0, 16);
  }

  private static List<Operation> copies() {
    return List.of(
        simple(
            "Stream.copyToDevice",
            bench -> bench.stream.copyToDevice(bench.pinned, 0, bench.a, 0, BYTES)),
        simple(
            "Stream.copyToHost",
            bench -> bench.stream.copyToHost(bench.a, 0, bench.pinned, 0, BYTES)),
        simple("Stream.copy", bench -> bench.stream.copy(bench.a, 0, bench.b, 0, BYTES)),
        simple("Stream.copyPeer", bench -> bench.stream.copyPeer(bench.a, 0, bench.b, 0, 16)),
        simple(
            "Stream.copyPeer3D",
            bench ->
                bench.stream.copyPeer3D(
                    PitchedMemory.of(bench.a, 0, 8, 2),
                    PitchedMemory.of(bench.b, 0, 8, 2),
                    4,
                    2,
                    2)),
        simple(
            "Stream.copy2D",
            bench -> bench.stream.copy2D(rows(bench), PitchedMemory.of(bench.b, 0, 16), 8, 2)),
        simple(
            "Stream.copy3D",
            bench ->
                bench.stream.copy3D(
                    PitchedMemory.of(bench.a, 0, 8, 2),
                    PitchedMemory.of(bench.pinned, 0, 8, 2),
                    4,
                    2,
                    2)),
        simple("Stream.fill8", bench -> bench.stream.fill8(bench.a, 0, 8, (byte) 1)),
        simple("Stream.fill16", bench -> bench.stream.fill16(bench.a, 0, 8, (short) 1)),
        simple("Stream.fill32", bench -> bench.stream.fill32(bench.a, 0, 8, 1)),
        simple("Stream.fill2D8", bench -> bench.stream.fill2D8(rows(bench), 8, 2, (byte) 1)),
        simple("Stream.fill2D16", bench -> bench.stream.fill2D16(rows(bench), 4, 2, (short) 1)),
        simple("Stream.fill2D32", bench -> bench.stream.fill2D32(rows(bench), 2, 2, 1)),
        simple("Stream.write", bench -> bench.stream.write(new int[16], bench.a, 0)),
        simple("Stream.read", bench -> bench.stream.read(bench.a, 0, new int[16])),
        of(
            "Stream.write and read of native memory",
            bench -> {
              MemorySegment memory = Arena.ofAuto().allocate(BYTES);
              return () -> {
                bench.stream.write(memory, bench.a, 0);
                bench.stream.read(bench.a, 0, memory);
              };
            }));
  }

  private static List<Operation> values() {
    return List.of(
        simple("Stream.writeValue32", bench -> bench.stream.writeValue32(bench.a, 0, 1)),
        simple("Stream.writeValue64", bench -> bench.stream.writeValue64(bench.pinned, 8, 1)),
        simple(
            "Stream.waitValue32",
            bench -> bench.stream.waitValue32(bench.pinned, 4, 0, WaitCondition.GREATER_OR_EQUAL)),
        simple(
            "Stream.waitValue64",
            bench -> bench.stream.waitValue64(bench.pinned, 8, 0, WaitCondition.GREATER_OR_EQUAL)),
        simple(
            "Stream.batch",
            bench ->
                bench.stream.batch(
                    List.of(
                        WordOperation.write32(bench.a, 0, 1),
                        WordOperation.wait32(
                            bench.pinned, 4, 0, WaitCondition.GREATER_OR_EQUAL)))));
  }

  private static List<Operation> work() {
    return List.of(
        of(
            "Stream.launch",
            bench -> {
              PreparedLaunch launch = bench.fill(bench.a, 1);
              return () -> bench.stream.launch(launch);
            }),
        of(
            "Stream.launch with automatic order",
            bench -> {
              BufferOptions automatic = BufferOptions.STANDARD.withAutomaticOrder();
              DeviceBuffer target = bench.keep(bench.device.allocate("auto", BYTES, automatic));
              Stream side = bench.keep(bench.device.createStream("side"));
              side.copy(target, 0, bench.b, 0, BYTES);
              PreparedLaunch launch = bench.fill(target, 1);
              return () -> bench.stream.launch(launch);
            }),
        of(
            "Stream.copy with automatic order",
            bench -> {
              BufferOptions automatic = BufferOptions.STANDARD.withAutomaticOrder();
              DeviceBuffer from = bench.keep(bench.device.allocate("from", BYTES, automatic));
              DeviceBuffer to = bench.keep(bench.device.allocate("to", BYTES, automatic));
              Stream side = bench.keep(bench.device.createStream("side"));
              side.fill32(from, 0, BYTES / 4, 1);
              return () -> bench.stream.copy(from, 0, to, 0, BYTES);
            }),
        of(
            "Stream.launch with attributes",
            bench -> {
              PreparedLaunch launch =
                  bench
                      .module
                      .kernel("increment")
                      .prepare(
                          LaunchConfig.of(1, 1),
                          LaunchAttributes.COOPERATIVE,
                          KernelArg.readWrite(bench.a));
              return () -> bench.stream.launch(launch);
            }),
        closing("Stream.launchHost", bench -> () -> bench.stream.launchHost(() -> {})),
        closing(
            "Stream.launchHost of a task",
            bench -> () -> bench.stream.launchHost(() -> {}, Runnable::run)),
        of(
            "Stream.record",
            bench -> {
              Event event = bench.keep(bench.device.createEvent());
              return () -> bench.stream.record(event);
            }),
        of(
            "Stream.waitFor",
            bench -> {
              Event event = bench.keep(bench.device.createEvent());
              bench.stream.record(event);
              return () -> bench.stream.waitFor(event);
            }),
        simple("Stream.synchronize", bench -> bench.stream.synchronize()),
        simple("Stream.isComplete", bench -> bench.stream.isComplete()),
        simple("Stream.allocate", bench -> bench.keep(bench.stream.allocate("made", 100))),
        of(
            "Stream.allocate of a pool",
            bench -> {
              MemoryPool pool = bench.keep(bench.device.createMemoryPool("pool"));
              return () -> bench.keep(bench.stream.allocate("made", 100, pool));
            }));
  }

  private static List<Operation> captures() {
    return List.of(
        of(
            "Stream.capture",
            bench -> {
              PreparedLaunch launch = bench.fill(bench.a, 1);
              return () ->
                  bench.keep(
                      bench.stream.capture(capture -> {
                        launch.launch(bench.stream);
                        bench.stream.copyToHost(bench.a, 0, bench.pinned, 0, BYTES);
                      }));
            }),
        of(
            "Stream.capture of a host function",
            bench ->
                () ->
                    bench.keep(bench.stream.capture(capture -> bench.stream.launchHost(() -> {})))),
        closing(
            "Stream.capture with forks",
            bench -> {
              PreparedLaunch launch = bench.fill(bench.a, 1);
              Stream side = bench.keep(bench.device.createStream("side"));
              return () ->
                  bench.keep(
                      bench.stream.capture(capture -> {
                        launch.launch(bench.stream);
                        capture.fork(side);
                        bench.stream.fill32(bench.a, 0, 1, 1);
                        side.fill32(bench.b, 0, 1, 2);
                        capture.join(side);
                      }));
            }),
        of(
            "Stream.capture with an event",
            bench -> {
              Event event = bench.keep(bench.device.createEvent());
              Event back = bench.keep(bench.device.createEvent());
              Stream side = bench.keep(bench.device.createStream("side"));
              return () ->
                  bench.keep(
                      bench.stream.capture(capture -> {
                        bench.stream.record(event);
                        side.waitFor(event);
                        side.fill32(bench.b, 0, 1, 2);
                        side.record(back);
                        bench.stream.waitFor(back);
                      }));
            }));
  }
}
