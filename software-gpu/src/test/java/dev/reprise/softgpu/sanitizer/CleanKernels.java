package dev.reprise.softgpu.sanitizer;

import dev.reprise.softgpu.sanitizer.KernelMistakes.Launch;
import java.util.Map;
import java.util.function.Consumer;

/** Launches without a mistake, each like one of {@link KernelMistakes}. */
final class CleanKernels {

  private CleanKernels() {}

  private static void put(Map<String, Consumer<SanitizedProgram>> all, String name, Launch launch) {
    all.put(
        name,
        p -> {
          long s = p.stream();
          launch.on(p, s);
          p.sync(s);
        });
  }

  static void addTo(Map<String, Consumer<SanitizedProgram>> all) {
    memory(all);
    shared(all);
    global(all);
  }

  private static void memory(Map<String, Consumer<SanitizedProgram>> all) {
    put(
        all,
        "a tail tile of two dimensions",
        (p, s) ->
            p.launch(
                "tile_2d",
                1,
                16,
                16,
                0,
                s,
                new Object[] {p.allocate(12 * 15), p.filled(12 * 15), 12, 15}));
    put(
        all,
        "a block table that is filled",
        (p, s) ->
            p.launch(
                "paged_sum",
                1,
                32,
                0,
                s,
                p.allocate(32),
                KernelMistakes.table(p, s, p.filled(32), p.filled(32), p.filled(32)),
                3,
                32));
    put(
        all,
        "a block table that names one block twice",
        (p, s) -> {
          long block = p.filled(32);
          long table = KernelMistakes.table(p, s, block, block);
          p.launch("paged_sum", 1, 32, 0, s, p.allocate(32), table, 2, 32);
        });
    put(
        all,
        "blocks narrower than the warp",
        (p, s) ->
            p.launch(
                "paged_sum",
                1,
                32,
                0,
                s,
                p.allocate(20),
                KernelMistakes.table(p, s, p.filled(20)),
                1,
                20));
    put(
        all,
        "a block freed that has left the table",
        (p, s) -> {
          long freed = p.filled(32);
          long table = KernelMistakes.table(p, s, p.filled(32), freed);
          p.free(freed);
          p.launch("paged_sum", 1, 32, 0, s, p.allocate(32), table, 1, 32);
        });
    put(
        all,
        "vectors of four words",
        (p, s) -> p.launch("vector_copy", 1, 32, 0, s, p.allocate(124), p.filled(124), 31));
    put(
        all,
        "vectors at an offset of a vector",
        (p, s) ->
            p.launch("vector_copy", 1, 32, 0, s, p.allocate(132) + 16, p.filled(132) + 16, 32));
    put(
        all,
        "a loop over the grid",
        (p, s) -> p.launch("grid_stride", 2, 32, 0, s, p.allocate(201), 201));
    put(
        all,
        "a loop over the grid with fewer words than threads",
        (p, s) -> p.launch("grid_stride", 4, 32, 0, s, p.allocate(3), 3));
    put(
        all,
        "shared memory at an offset within the tile",
        (p, s) -> p.launch("shared_at", 1, 64, 0, s, p.allocate(64), 0));
    put(
        all,
        "a check of the program that holds",
        (p, s) -> p.launch("check", 1, 64, 0, s, p.allocate(64), 64));
    put(
        all,
        "sums over what was written",
        (p, s) -> {
          long in = p.allocate(64);
          p.set(in, 1, 60, s);
          p.launch("partial_sum", 1, 30, 0, s, p.allocate(32), in, 2);
        });
    put(
        all,
        "sums over nothing",
        (p, s) -> p.launch("partial_sum", 1, 32, 0, s, p.allocate(32), p.allocate(64), 0));
  }

  private static void shared(Map<String, Consumer<SanitizedProgram>> all) {
    put(
        all,
        "a transposed tile",
        (p, s) ->
            p.launch(
                "transpose", 1, 32, 32, 0, s, new Object[] {p.allocate(1024), p.filled(1024)}));
    put(
        all,
        "a tree of sums",
        (p, s) -> p.launch("tree_sum", 1, 128, 0, s, p.allocate(1), p.filled(128)));
    put(
        all,
        "two buffers in turn",
        (p, s) -> p.launch("two_buffers", 1, 64, 0, s, p.allocate(64), p.filled(64), 6));
    put(
        all,
        "one buffer used once",
        (p, s) -> p.launch("one_buffer", 1, 64, 0, s, p.allocate(64), p.filled(64), 1));
    put(
        all,
        "a value that the block waits for",
        (p, s) -> p.launch("broadcast", 1, 64, 0, s, p.allocate(64), 7, 1));
    put(
        all,
        "an atomic maximum",
        (p, s) -> p.launch("maximum", 1, 64, 0, s, p.allocate(1), p.filled(64), 1));
    put(
        all,
        "a sum over all lanes of two warps",
        (p, s) -> p.launch("lanes_sum", 1, 64, 0, s, p.allocate(2), p.filled(64), 64));
    put(
        all,
        "a vote of those that are named",
        (p, s) -> p.launch("vote_of_live", 1, 32, 0, s, p.allocate(32), 20));
    put(all, "a vote of all", (p, s) -> p.launch("vote_of_all", 1, 32, 0, s, p.allocate(32), 32));
    put(
        all,
        "a barrier for the threads that stay",
        (p, s) -> p.launch("early_return", 1, 96, 0, s, p.allocate(96), 64));
  }

  private static void global(Map<String, Consumer<SanitizedProgram>> all) {
    put(
        all,
        "a block that reads what it writes itself",
        (p, s) -> p.launch("from_next_block", 1, 32, 0, s, p.filled(1), 0));
    put(
        all,
        "a counter of one block",
        (p, s) -> p.launch("count_plainly", 1, 64, 0, s, p.filled(1)));
    put(
        all,
        "a counter of blocks of launches one after the other",
        (p, s) -> {
          long counter = p.filled(1);
          p.launch("count_plainly", 1, 32, 0, s, counter);
          p.launch("count_plainly", 1, 32, 0, s, counter);
        });
    put(
        all,
        "one result of one block",
        (p, s) -> p.launch("same_result", 1, 64, 0, s, p.allocate(1)));
    put(
        all,
        "warps that hand on words of global memory behind a barrier",
        (p, s) -> p.launch("between_warps", 1, 64, 0, s, p.filled(128), 1));
    put(
        all,
        "a last block that has counted the others",
        (p, s) ->
            p.launch("last_block_sums", 4, 32, 0, s, p.allocate(1), p.allocate(4), zero(p, s)));
    put(
        all,
        "a last block that has counted the others by releases",
        (p, s) -> KernelMistakes.countedLast(p, s, "", "atom.acq_rel.gpu.global"));
    put(
        all,
        "a last block that has counted the others behind another fence",
        (p, s) -> KernelMistakes.countedLast(p, s, "fence.sc.gpu;", "atom.relaxed.gpu.global"));
    put(
        all,
        "an atomic counter of all blocks",
        (p, s) -> p.launch("count_up", 4, 32, 0, s, p.filled(1)));
  }

  private static long zero(SanitizedProgram p, long stream) {
    long word = p.allocate(1);
    p.set(word, 0, 1, stream);
    return word;
  }
}
