package dev.reprise.softgpu.engine.exec;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A decoded kernel: operations and what a warp needs to run them. Register arrays are numbered per
 * class. An array that is given holds a constant and is shared by all warps; a null one is a
 * register, or is named by {@code specials}.
 *
 * @param flow what is known of the values
 * @param parameterBytes size of the parameter block
 * @param localBytes local memory of a thread, a multiple of 16, without the stack
 * @param stack whether a function calls itself or allocates on the stack, which takes as much as
 *     the launch allows
 * @param sources for PTX lines with a {@code .loc}: source file and line
 */
public record Program(
    String name,
    Op[] code,
    int[] @Nullable [] ints,
    float[] @Nullable [] floats,
    long[] @Nullable [] longs,
    double[] @Nullable [] doubles,
    DataFlow flow,
    int predicates,
    List<SpecialSlot> specials,
    int parameterBytes,
    int staticSharedBytes,
    int localBytes,
    boolean stack,
    Map<Integer, String> sources) {

  /** An array for each register, which the reference uses. */
  Storage unshared() {
    return flow.unshared(this);
  }

  /** Which registers share an array. */
  Storage storage() {
    return flow.storage(this);
  }

  /** The value that an array holds in all lanes for good, boxed; null where it is a register. */
  @Nullable Object constant(Register r) {
    return switch (r.kind()) {
      case INT -> first(ints[r.index()]);
      case FLOAT -> first(floats[r.index()]);
      case LONG -> first(longs[r.index()]);
      case DOUBLE -> first(doubles[r.index()]);
      case PREDICATE -> null;
    };
  }

  private static @Nullable Object first(@Nullable Object array) {
    return array == null ? null : Array.get(array, 0);
  }

  /** A special register kept in the int array {@code index}. */
  public record SpecialSlot(int index, Special special) {}

  /** Special registers whose value is known when a block starts. */
  public enum Special {
    TID_X,
    TID_Y,
    TID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    LANEID,
    WARPID,
    NWARPID,
    SMID,
    NSMID,
    GRIDID,
    LANEMASK_EQ,
    LANEMASK_LT,
    LANEMASK_LE,
    LANEMASK_GT,
    LANEMASK_GE,
    DYNAMIC_SMEM_SIZE,
    TOTAL_SMEM_SIZE,
    /** Address of the workspace of a cooperative launch: low and high half. */
    ENVREG2,
    ENVREG1,
    /** Place of the block in its cluster. */
    CLUSTER_CTAID_X,
    CLUSTER_CTAID_Y,
    CLUSTER_CTAID_Z,
    CLUSTER_CTARANK,
    CLUSTER_NCTAID_X,
    CLUSTER_NCTAID_Y,
    CLUSTER_NCTAID_Z,
    CLUSTER_NCTARANK,
    /** Place of the cluster in the grid. */
    CLUSTERID_X,
    CLUSTERID_Y,
    CLUSTERID_Z,
    NCLUSTERID_X,
    NCLUSTERID_Y,
    NCLUSTERID_Z,
    /** 1 for a launch in clusters, else 0. */
    IS_EXPLICIT_CLUSTER
  }
}
