package dev.reprise.benchmarks.softgpu;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Warp instructions that one core of the software GPU executes in a microsecond, so millions a
 * second: the counter {@code instructions} of each row.
 *
 * <p>With {@code interpreted} each instruction is done after the other by the reference; with
 * {@code adaptive}, the default of the software GPU, generated code takes over in the warm-up.
 */
@SuppressWarnings("NullAway.Init")
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(
    value = 2,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC"})
public class InstructionRate {

  /** How the software GPU executes. */
  public enum Execution {
    /** The reference. */
    INTERPRETED,
    /** The default. */
    ADAPTIVE
  }

  /** How the software GPU executes. */
  @Param public Execution execution = Execution.INTERPRETED;

  /** What is executed. */
  @Param public Mix mix = Mix.ARITHMETIC;

  // Set by open() before anything else runs.
  private Device device;
  private Stream stream;
  private CudaModule module;
  private DeviceBuffer memory;
  private PreparedLaunch launch;

  /** Counts what was executed. */
  @AuxCounters
  @State(Scope.Thread)
  public static class Executed {
    /** Warp instructions. */
    public long instructions;
  }

  /** Opens a device with one worker. */
  @Setup(Level.Trial)
  public void open() {
    System.setProperty("reprise.driver", "software");
    System.setProperty("REPRISE_SOFTGPU_WORKERS", "1");
    System.setProperty("REPRISE_SOFTGPU_EXECUTION", execution.name().toLowerCase(Locale.ROOT));
    device = Device.open(0);
    stream = device.createStream("mix");
    module = device.loadModule("mix", mix.ptx());
    memory = device.allocate("memory", 1 << 20);
    // One block: with one worker its warps run one after the other.
    launch =
        module
            .kernel("mix")
            .prepare(
                LaunchConfig.covering(Mix.WARPS * 32, Mix.WARPS * 32), KernelArg.write(memory));
  }

  /** Frees the device. */
  @TearDown(Level.Trial)
  public void close() {
    memory.close();
    module.close();
    stream.close();
    device.close();
  }

  /** One launch, waited for. */
  @Benchmark
  public void launch(Executed executed) {
    launch.launch(stream);
    stream.synchronize();
    executed.instructions += mix.warpInstructions();
  }
}
