package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.ReportKind.ABSENT_LANE;
import static dev.reprise.softgpu.sanitizer.ReportKind.BARRIER_MISUSE;
import static dev.reprise.softgpu.sanitizer.ReportKind.DEVICE_FAULT;
import static dev.reprise.softgpu.sanitizer.ReportKind.GLOBAL_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.MISALIGNED;
import static dev.reprise.softgpu.sanitizer.ReportKind.OUT_OF_BOUNDS;
import static dev.reprise.softgpu.sanitizer.ReportKind.SHARED_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.UNINITIALISED_READ;
import static dev.reprise.softgpu.sanitizer.ReportKind.USE_AFTER_FREE;

import dev.reprise.softgpu.sanitizer.Corpus.Mistake;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/** Mistakes inside one launch, of the kernels of {@code tiles.cu}. */
final class KernelMistakes {

  /** Both warps load the 32 words, then the second stores them. */
  private static final String LOADED_BY_TWO =
      """
      .version 7.8
      .target sm_80
      .address_size 64
      .visible .entry loaded_by_two(.param .u64 words)
      {
        .reg .pred %p;
        .reg .b32 %r<3>;
        .reg .b64 %d<3>;
        ld.param.u64 %d0, [words];
        mov.u32 %r0, %tid.x;
        and.b32 %r1, %r0, 31;
        mul.wide.u32 %d1, %r1, 4;
        add.u64 %d2, %d0, %d1;
        ld.global.u32 %r2, [%d2];
        setp.lt.u32 %p, %r0, 32;
        @%p bra DONE;
        st.global.u32 [%d2], %r2;
      DONE:
        ret;
      }
      """;

  private KernelMistakes() {}

  private static void put(
      Map<String, Mistake> all, String name, ReportKind kind, String kernel, Launch launch) {
    all.put(
        name,
        new Mistake(
            kind,
            kernel,
            p -> {
              long s = p.stream();
              launch.on(p, s);
              p.finish(s);
            }));
  }

  /** Launches one kernel. */
  interface Launch {
    void on(SanitizedProgram p, long stream);
  }

  /** A table of the addresses of blocks. */
  static long table(SanitizedProgram p, long stream, long... blocks) {
    MemorySegment host = p.pinned(2 * blocks.length);
    for (int i = 0; i < blocks.length; i++) {
      host.setAtIndex(ValueLayout.JAVA_LONG, i, blocks[i]);
    }
    long table = p.allocate(2 * blocks.length);
    p.upload(table, host, stream);
    p.sync(stream);
    return table;
  }

  static void addTo(Map<String, Mistake> all) {
    memory(all);
    shared(all);
    barriers(all);
    lanes(all);
    global(all);
  }

  private static void memory(Map<String, Mistake> all) {
    put(
        all,
        "a tail tile of two dimensions with a row too many",
        OUT_OF_BOUNDS,
        "tile_2d_one_row_more",
        (p, s) ->
            p.launch(
                "tile_2d_one_row_more",
                1,
                16,
                16,
                0,
                s,
                new Object[] {p.allocate(12 * 16), p.filled(13 * 16), 12, 16}));
    put(
        all,
        "a tile whose last row nobody wrote",
        UNINITIALISED_READ,
        "tile_2d",
        (p, s) -> {
          long in = p.allocate(12 * 16);
          p.set(in, 1, 11 * 16, s);
          p.launch("tile_2d", 1, 16, 16, 0, s, new Object[] {p.allocate(12 * 16), in, 12, 16});
        });
    put(
        all,
        "a block table with a block of another width",
        OUT_OF_BOUNDS,
        "paged_sum",
        (p, s) ->
            p.launch(
                "paged_sum",
                1,
                32,
                0,
                s,
                p.allocate(32),
                table(p, s, p.filled(32), p.filled(16)),
                2,
                32));
    put(
        all,
        "a block of keys and values that was freed and is still in a block table",
        USE_AFTER_FREE,
        "paged_sum",
        (p, s) -> {
          long freed = p.filled(32);
          long table = table(p, s, p.filled(32), freed);
          p.free(freed);
          p.launch("paged_sum", 1, 32, 0, s, p.allocate(32), table, 2, 32);
        });
    put(
        all,
        "a load of four words at an address of one",
        MISALIGNED,
        "vector_copy",
        (p, s) -> p.launch("vector_copy", 1, 32, 0, s, p.allocate(128), p.filled(132) + 4, 32));
    put(
        all,
        "a store of four words at an address of two",
        MISALIGNED,
        "vector_copy",
        (p, s) -> p.launch("vector_copy", 1, 32, 0, s, p.allocate(132) + 8, p.filled(128), 32));
    put(
        all,
        "a vector that reaches over the end",
        OUT_OF_BOUNDS,
        "vector_copy",
        (p, s) -> p.launch("vector_copy", 1, 32, 0, s, p.allocate(128), p.filled(124), 32));
    put(
        all,
        "a count of a larger buffer",
        OUT_OF_BOUNDS,
        "grid_stride",
        (p, s) -> p.launch("grid_stride", 2, 32, 0, s, p.allocate(200), 201));
    put(
        all,
        "shared memory at an address that is not aligned",
        MISALIGNED,
        "shared_at",
        (p, s) -> p.launch("shared_at", 1, 64, 0, s, p.allocate(64), 2));
    put(
        all,
        "shared memory in front of the tile",
        OUT_OF_BOUNDS,
        "shared_at",
        (p, s) -> p.launch("shared_at", 1, 64, 0, s, p.allocate(64), 4 * 64));
    put(
        all,
        "a check of the program that fails",
        DEVICE_FAULT,
        "check",
        (p, s) -> p.launch("check", 1, 64, 0, s, p.allocate(64), 63));
    put(
        all,
        "sums over more than was written",
        UNINITIALISED_READ,
        "partial_sum",
        (p, s) -> {
          long in = p.allocate(64);
          p.set(in, 1, 60, s);
          p.launch("partial_sum", 1, 32, 0, s, p.allocate(32), in, 2);
        });
  }

  private static void shared(Map<String, Mistake> all) {
    put(
        all,
        "a transposed tile without a barrier",
        SHARED_RACE,
        "transpose_without_barrier",
        (p, s) ->
            p.launch(
                "transpose_without_barrier",
                1,
                32,
                32,
                0,
                s,
                new Object[] {p.allocate(1024), p.filled(1024)}));
    put(
        all,
        "a tree of sums without a barrier at each level",
        SHARED_RACE,
        "tree_sum_without_barrier",
        (p, s) -> p.launch("tree_sum_without_barrier", 1, 128, 0, s, p.allocate(1), p.filled(128)));
    put(
        all,
        "one buffer where two are needed",
        SHARED_RACE,
        "one_buffer",
        (p, s) -> p.launch("one_buffer", 1, 64, 0, s, p.allocate(64), p.filled(64), 4));
    put(
        all,
        "a value that is used before the block has it",
        SHARED_RACE,
        "broadcast",
        (p, s) -> p.launch("broadcast", 1, 64, 0, s, p.allocate(64), 7, 0));
    put(
        all,
        "a maximum that is not atomic",
        SHARED_RACE,
        "maximum",
        (p, s) -> p.launch("maximum", 1, 64, 0, s, p.allocate(1), p.filled(64), 0));
  }

  private static void barriers(Map<String, Mistake> all) {
    put(
        all,
        "a mask that leaves out those that use it",
        BARRIER_MISUSE,
        "meet_without_self",
        (p, s) -> p.launch("meet_without_self", 1, 32, 0, s, p.allocate(32)));
    put(
        all,
        "a barrier for more threads than stay",
        BARRIER_MISUSE,
        "early_return",
        (p, s) -> p.launch("early_return", 1, 64, 0, s, p.allocate(64), 32));
  }

  private static void lanes(Map<String, Mistake> all) {
    put(
        all,
        "a sum over lanes of which some have left",
        ABSENT_LANE,
        "lanes_sum",
        (p, s) -> p.launch("lanes_sum", 1, 32, 0, s, p.allocate(1), p.filled(32), 20));
    put(
        all,
        "a sum over more lanes than a block has",
        ABSENT_LANE,
        "lanes_sum",
        (p, s) -> p.launch("lanes_sum", 1, 24, 0, s, p.allocate(1), p.filled(32), 24));
  }

  /** The last block sums up what all have stored and then counted, with another fence and count. */
  static void countedLast(SanitizedProgram p, long s, String fence, String atomic) {
    String ptx = SanitizedProgram.text("tiles.ptx");
    p.load(ptx.replace("membar.gl;", fence).replace("atom.global", atomic));
    long counter = p.allocate(1);
    p.set(counter, 0, 1, s);
    p.launch("last_block_sums", 4, 32, 0, s, p.allocate(1), p.allocate(4), counter);
  }

  private static void global(Map<String, Mistake> all) {
    put(
        all,
        "blocks that read what the next block writes",
        GLOBAL_RACE,
        "from_next_block",
        (p, s) -> p.launch("from_next_block", 4, 32, 0, s, p.filled(4), 3));
    put(
        all,
        "a load of what the next block writes, before the first store of the launch",
        GLOBAL_RACE,
        "from_next_block",
        (p, s) -> p.launch("from_next_block", 2, 32, 0, s, p.filled(2), 1));
    put(
        all,
        "a store of what two warps have loaded",
        GLOBAL_RACE,
        "loaded_by_two",
        (p, s) -> {
          p.load(LOADED_BY_TWO);
          p.launch("loaded_by_two", 1, 64, 0, s, p.filled(32));
        });
    put(
        all,
        "a last block that has counted the others, of which none made a fence",
        GLOBAL_RACE,
        "last_block_sums",
        (p, s) -> countedLast(p, s, "", "atom.global"));
    put(
        all,
        "a last block that has counted the others behind a fence of the block",
        GLOBAL_RACE,
        "last_block_sums",
        (p, s) -> countedLast(p, s, "membar.cta;", "atom.acquire.gpu.global"));
    put(
        all,
        "a counter of all blocks that is not atomic",
        GLOBAL_RACE,
        "count_plainly",
        (p, s) -> p.launch("count_plainly", 4, 32, 0, s, p.filled(1)));
    put(
        all,
        "one result of several blocks",
        GLOBAL_RACE,
        "same_result",
        (p, s) -> p.launch("same_result", 3, 32, 0, s, p.allocate(1)));
    put(
        all,
        "warps that hand on words of global memory without a barrier",
        GLOBAL_RACE,
        "between_warps",
        (p, s) -> p.launch("between_warps", 1, 64, 0, s, p.filled(128), 0));
    put(
        all,
        "a last block that does not wait for the others",
        GLOBAL_RACE,
        "last_block_by_hope",
        (p, s) -> p.launch("last_block_by_hope", 4, 32, 0, s, p.allocate(1), p.allocate(4)));
  }
}
