package dev.reprise.softgpu.engine.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.engine.decode.ModuleDecoder;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.ptx.PtxParser;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Generated code takes over once it is faster, and is given up where it stays slower. */
class TrialTest {
  private static final int MANY = 1 << 16;

  private static final CompiledRun QUICK = (w, m, ops) -> {};
  private static final CompiledRun SLOW =
      (w, m, ops) -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));

  private static Warp warp() {
    String text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }";
    Program program =
        new ModuleDecoder(PtxParser.parse(text), Map.of(), Map.of()).kernels().getFirst().program();
    AddressSpace memory = new AddressSpace(1L << 20);
    Block block = new Block(program, new Block.Shape(32, 1, 1, 0, 0, -1, false), memory);
    return new Warp(block, 0, program, memory);
  }

  @Test
  void codeThatIsFasterTakesOver() {
    Trial trial = new Trial(false);
    Warp w = warp();
    for (int k = 0; k < MANY && !trial.won(); k++) {
      trial.run(QUICK, SLOW, w, -1, new Op[0]);
    }
    assertThat(trial.won()).isTrue();
    assertThat(trial.lost()).isFalse();
  }

  @Test
  void slowCodeIsTriedSeldom() {
    Trial trial = new Trial(false);
    Warp w = warp();
    AtomicInteger tries = new AtomicInteger();
    CompiledRun slow =
        (v, m, ops) -> {
          tries.incrementAndGet();
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        };
    for (int k = 0; k < 400; k++) {
      trial.run(slow, (v, m, ops) -> LockSupport.parkNanos(1), w, -1, new Op[0]);
    }
    // Without care it would be each fourth run.
    assertThat(tries.get()).isBetween(1, 50);
  }

  @Test
  void codeThatStaysSlowerIsGivenUp() {
    Trial trial = new Trial(false, TimeUnit.MILLISECONDS.toNanos(200));
    Warp w = warp();
    // What is interpreted takes so little that slow code is tried again only after many runs.
    CompiledRun quicker = (v, m, ops) -> LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    for (int k = 0; k < MANY && !trial.lost(); k++) {
      trial.run(SLOW, quicker, w, -1, new Op[0]);
    }
    assertThat(trial.lost()).isTrue();
    assertThat(trial.won()).isFalse();
  }

  @Test
  void slowCodeDoesNotWinWhileTheOtherIsInterrupted() {
    Trial trial = new Trial(false);
    Warp w = warp();
    AtomicInteger runs = new AtomicInteger();
    // One of six in a row is timed, and takes much longer than the slow code.
    CompiledRun interrupted =
        (v, m, ops) -> {
          boolean now = runs.incrementAndGet() / 6 == 10;
          LockSupport.parkNanos(
              now ? TimeUnit.MILLISECONDS.toNanos(200) : TimeUnit.MICROSECONDS.toNanos(50));
        };
    CompiledRun slow = (v, m, ops) -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    for (int k = 0; k < 400; k++) {
      trial.run(slow, interrupted, w, -1, new Op[0]);
      assertThat(trial.won()).as("after %d runs", runs.get()).isFalse();
    }
    assertThat(runs.get()).isGreaterThan(66);
  }
}
