package dev.reprise.softgpu.sanitizer;

import dev.reprise.softgpu.sanitizer.Corpus.Mistake;
import dev.reprise.softgpu.sanitizer.KernelMistakes.Launch;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Launches of the kernels of {@code orders.cu}, whose threads hand on words of global memory by
 * fences, atomics and other strong accesses: with a piece missing, and with all.
 */
final class OrderPrograms {

  /** Blocks, of more than one tree of clocks has in its lowest nodes. */
  private static final int MANY = 3000;

  private OrderPrograms() {}

  private record Program(String kernel, Launch launch) {}

  static void addMistakes(Map<String, Mistake> all) {
    mistakes()
        .forEach((name, program) ->
            all.put(
                name,
                new Mistake(
                    ReportKind.GLOBAL_RACE,
                    program.kernel,
                    p -> {
                      long s = p.stream();
                      program.launch.on(p, s);
                      p.sync(s);
                    })));
  }

  static void addClean(Map<String, Consumer<SanitizedProgram>> all) {
    clean()
        .forEach((name, program) ->
            all.put(
                name,
                p -> {
                  long s = p.stream();
                  program.launch.on(p, s);
                  p.sync(s);
                }));
  }

  /** Words that are zero. */
  private static long zeros(SanitizedProgram p, int words, long stream) {
    long address = p.allocate(words);
    p.set(address, 0, words, stream);
    return address;
  }

  /** A kernel with its result, its data and its flags. */
  private static Program of(String kernel, int blocks, int threads, Object... how) {
    return new Program(
        kernel,
        (p, s) -> {
          Object[] values = new Object[3 + how.length];
          values[0] = p.allocate(64);
          values[1] = zeros(p, 64 * blocks, s);
          values[2] = zeros(p, 4, s);
          System.arraycopy(how, 0, values, 3, how.length);
          p.launch(kernel, blocks, threads, 0, s, values);
        });
  }

  private static Program handOver(int how) {
    return of("hand_over", 2, 64, how);
  }

  private static Program lookBack(int blocks, int how) {
    return new Program(
        "look_back",
        (p, s) ->
            p.launch("look_back", blocks, 32, 0, s, p.allocate(blocks), zeros(p, blocks, s), how));
  }

  private static Program ownBarrier(int how) {
    return new Program(
        "own_grid_barrier",
        (p, s) -> p.launch("own_grid_barrier", 8, 64, 0, s, p.filled(16), zeros(p, 1, s), 3, how));
  }

  private static Program locked(int how) {
    return new Program(
        "locked", (p, s) -> p.launch("locked", 4, 32, 0, s, zeros(p, 1, s), zeros(p, 1, s), how));
  }

  private static Program withinBlock(int how) {
    return new Program(
        "within_block",
        (p, s) -> p.launch("within_block", 1, 64, 0, s, p.allocate(1), p.allocate(1), how));
  }

  private static Map<String, Program> mistakes() {
    Map<String, Program> all = new TreeMap<>();
    all.put("a flag without a fence behind it, but a barrier", handOver(4 | 8 | 256));
    all.put("a flag without a fence in front of it, but a barrier", handOver(4 | 64 | 256));
    all.put("a flag behind a fence of the block only", handOver(4 | 32 | 64 | 256));
    all.put("a flag behind a fence of one thread for the stores of all", handOver(8 | 64 | 256));
    all.put(
        "a flag behind a fence of one thread that the barrier comes after",
        handOver(2 | 4 | 64 | 256));
    all.put("a flag behind a fence of another thread", handOver(4 | 16 | 64 | 256));
    all.put("a flag in front of a fence of another thread", handOver(4 | 8 | 128));
    all.put("a flag that one thread has waited for, without a barrier", handOver(4 | 8 | 64));
    all.put("a message by an atomic with no fence in front of it", of("message", 2, 1, 2));
    all.put("a message by an atomic with no fence behind it", of("message", 2, 1, 1));
    all.put("tickets without a fence in front of them", of("ticket", 4, 64, 1 | 4 | 16));
    all.put(
        "tickets behind the fence of one thread without a barrier",
        of("ticket", 4, 64, 1 | 8 | 16));
    all.put("a ticket of a thread with no fence behind it", of("own_ticket", 4, 32, 1));
    all.put("a ticket of a thread with no fence in front of it", of("own_ticket", 4, 32, 2));
    all.put(
        "tickets of many blocks without a fence in front of them",
        of("ticket", MANY, 64, 1 | 4 | 16));
    all.put("a word that is passed on without a fence", of("passed_on", 3, 32, 0));
    all.put("a lock with no fence behind it", locked(2));
    all.put("a lock with no fence in front of its end", locked(1));
    all.put("a flag in shared memory with no fence behind it", withinBlock(1));
    all.put("a flag in shared memory with no fence in front of it", withinBlock(2));
    all.put("a lane that hands over before its warp has met", of("by_one_lane", 2, 32, 2));
    all.put("a lane that has waited before its warp has met", of("by_one_lane", 2, 32, 1));
    all.put("a look back with no fence behind the flag", lookBack(8, 2));
    all.put("a look back over many blocks with no fence in front of the flag", lookBack(MANY, 1));
    all.put("a grid barrier with no fence in front of it", ownBarrier(2));
    all.put("a grid barrier with no fence behind it", ownBarrier(1));
    all.put("a released flag that is loaded relaxed", of("ref_relaxed_load", 2, 1));
    all.put("a flag stored relaxed that is acquired", of("ref_relaxed_store", 2, 1));
    all.put("a flag for threads of a block between blocks", of("ref_of_block", 2, 1));
    return all;
  }

  private static Map<String, Program> clean() {
    Map<String, Program> all = new TreeMap<>();
    all.put(
        "a flag behind barrier and fence, in front of fence and barrier",
        handOver(4 | 8 | 64 | 256));
    all.put(
        "a flag behind fences of all and a barrier, in front of fence and barrier",
        handOver(1 | 4 | 64 | 256));
    all.put(
        "a flag behind barrier and fence, in front of a barrier and fences of all",
        handOver(4 | 8 | 256 | 512));
    all.put(
        "a flag behind fences of all and a barrier, in front of a barrier and fences of all",
        handOver(1 | 4 | 256 | 512));
    all.put("a message by an atomic between fences", of("message", 2, 1, 3));
    all.put("a message by an atomic whose flag is taken back", of("message", 2, 1, 3 | 4));
    all.put("tickets as in NVIDIA's samples", of("ticket", 4, 64, 2));
    all.put("tickets behind fences of all and a barrier", of("ticket", 4, 64, 1 | 2 | 4));
    all.put("tickets behind a barrier between fences", of("ticket", 4, 64, 1 | 4 | 8 | 16));
    all.put("tickets behind a barrier and a fence", of("ticket", 4, 64, 1 | 4 | 8));
    all.put("a ticket of a thread between fences", of("own_ticket", 4, 32, 3));
    all.put("tickets of many blocks", of("ticket", MANY, 64, 1 | 4 | 8 | 16));
    all.put("a word that is passed on between fences", of("passed_on", 3, 32, 1));
    all.put("a lock between fences", locked(3));
    all.put("a flag in shared memory between fences of the block", withinBlock(3));
    all.put("a lane that hands over for its warp", of("by_one_lane", 2, 32, 3));
    all.put("a look back between fences", lookBack(8, 3));
    all.put("a look back over many blocks", lookBack(MANY, 3));
    all.put(
        "a look back in one word",
        new Program(
            "look_back_in_one_word",
            (p, s) -> p.launch("look_back_in_one_word", 8, 32, 0, s, zeros(p, 16, s))));
    all.put("a grid barrier between fences", ownBarrier(3));
    all.put(
        "a grid that meets",
        new Program(
            "grid_rounds", (p, s) -> p.launchTogether("grid_rounds", 8, 64, s, p.filled(16), 3)));
    all.put("a released flag that is acquired", of("ref_acquire_release", 2, 1));
    all.put("a flag in sequential order", of("ref_sequential", 2, 1));
    all.put("a relaxed flag between fences of the library", of("ref_fences", 2, 1));
    return all;
  }
}
