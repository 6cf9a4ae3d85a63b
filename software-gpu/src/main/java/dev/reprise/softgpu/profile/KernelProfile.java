package dev.reprise.softgpu.profile;

import java.util.Map;

/**
 * What launches of a kernel did. A warp instruction is one that a warp executes with at least one
 * lane; the same for each of its lanes is a thread instruction. A request is a memory instruction
 * of a warp, a sector 32 bytes that it touches.
 *
 * @param kernel its name
 * @param launches how many are counted here
 * @param counts by name; a name that is not there is zero
 */
public record KernelProfile(String kernel, long launches, Map<String, Long> counts) {

  /** The counter of this name, such as {@code flops} or {@code warp_instructions.f32}. */
  public long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** Instructions of warps, of all kinds. */
  public long warpInstructions() {
    return sum("warp_instructions.");
  }

  /** Instructions of threads, of all kinds. */
  public long threadInstructions() {
    return sum("thread_instructions.");
  }

  private long sum(String prefix) {
    return counts.entrySet().stream()
        .filter(e -> e.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** Floating-point operations; a fused multiply and add is two. */
  public long flops() {
    return count("flops");
  }

  /** Bytes that lanes loaded from global memory; a byte that two lanes load counts twice. */
  public long globalLoadBytes() {
    return count("global_load_bytes");
  }

  /** Bytes that lanes stored to global memory. */
  public long globalStoreBytes() {
    return count("global_store_bytes");
  }

  /** Mean sectors of a global load; 4 where lanes load neighbouring words; NaN without loads. */
  public double sectorsPerLoad() {
    return ratio("global_load_sectors", "global_load_requests");
  }

  /** Mean sectors of a global store; NaN without stores. */
  public double sectorsPerStore() {
    return ratio("global_store_sectors", "global_store_requests");
  }

  /** Wavefronts of shared memory that bank conflicts cost. */
  public long bankConflicts() {
    return count("shared_extra_wavefronts");
  }

  /** Branches at which lanes of a warp parted. */
  public long divergentBranches() {
    return count("divergent_branches");
  }

  /** Mean lanes of an instruction, 32 where all take part; NaN without instructions. */
  public double lanesPerInstruction() {
    return (double) threadInstructions() / warpInstructions();
  }

  /** Floating-point operations for each byte of the sectors that global memory moved. */
  public double flopsPerByte() {
    long sectors =
        count("global_load_sectors")
            + count("global_store_sectors")
            + count("global_atomic_sectors");
    return (double) flops() / (32.0 * sectors);
  }

  private double ratio(String above, String below) {
    return (double) count(above) / count(below);
  }
}
