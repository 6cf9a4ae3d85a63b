package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Hand-written kernels that are launched in clusters of blocks. */
final class ClusterKernels {
  private ClusterKernels() {}

  /**
   * Puts into {@code %r1} the number of the thread in a grid of one row, into {@code %r2} its
   * number in the block, into {@code %r3} the rank of the block, and the address of the thread's
   * own slot of 16 bytes into {@code %rd1}.
   */
  static final String OWN_SLOT =
      """
      ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; mov.u32 %r3, %cluster_ctarank;
      mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r1, %r4, %r5, %r2;
      mad.wide.u32 %rd1, %r1, 16, %rd1;
      """;

  /** A module with a kernel {@code k} that takes {@code out} and {@code in}. */
  static String text(String directives, String body) {
    return ".version 9.0\n.target sm_100a\n.address_size 64\n"
        + ".visible .entry k(.param .u64 out, .param .u64 in)\n"
        + directives
        + "\n{\n"
        + ".reg .pred %p<20>; .reg .b32 %r<60>; .reg .b64 %rd<40>; .reg .f32 %f<20>;"
        + " .reg .f64 %fd<10>; .reg .b16 %rs<10>;\n"
        + body
        + "\nret;\n}\n";
  }

  static KernelCode load(Device device, String directives, String body) {
    return Objects.requireNonNull(device.load(text(directives, body)).kernel("k"));
  }

  /**
   * Runs {@code body} behind {@link #OWN_SLOT} in a grid of one row.
   *
   * @param cluster blocks of a cluster, 0 for a launch without clusters
   * @return four words of each thread
   */
  static int[] run(
      Device device,
      Execution execution,
      int grid,
      int block,
      int cluster,
      String body,
      int... in) {
    Allocation out = device.allocate(16L * grid * block);
    KernelCode code = load(device, "", OWN_SLOT + body);
    try (Engine engine = new Engine(device.memory, 2, execution)) {
      engine.run(request(code, grid, block, cluster, out, device.of(in)));
    }
    return Device.ints(out);
  }

  static LaunchRequest request(
      KernelCode code, int grid, int block, int cluster, Object... arguments) {
    @Nullable Dim3 blocks = cluster == 0 ? null : Dim3.of(cluster);
    return new LaunchRequest(
        code, Dim3.of(grid), Dim3.of(block), 0, Device.block(code, arguments), false, null, blocks);
  }

  /** Each of the four words of a thread's slot. */
  static List<Integer> words(int[] got, int thread) {
    List<Integer> all = new ArrayList<>();
    for (int k = 0; k < 4; k++) {
      all.add(got[4 * thread + k]);
    }
    return all;
  }
}
