package dev.reprise.softgpu.engine;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Operands of instructions for clusters and bulk copies, as {@link FormSamples} wants them. */
final class ClusterSamples {
  private ClusterSamples() {}

  /** {@code st.async} and {@code red.async}. */
  static String store(List<String> m, String value) {
    return m.contains("mbarrier::complete_tx::bytes")
        ? "[%r10], " + value + ", [%r11]"
        : "[%rd10], " + value;
  }

  /** {@code st.bulk}. */
  static String fill(List<String> m) {
    return (m.contains("shared::cta") ? "[%r1]" : "[%rd1]") + ", 64, 0";
  }

  private static String tensor(List<String> m) {
    String form = String.join(".", m);
    int rank = 1;
    while (!form.contains(rank + "d.")) {
      rank++;
    }
    boolean rows = m.contains("tile::gather4") || m.contains("tile::scatter4");
    String map = "[%rd1, " + registers("%r", 4, rows ? 5 : rank) + "]";
    String offsets =
        form.contains("im2col::w")
            ? ", " + registers("%rs", 2, 2)
            : m.contains("im2col") ? ", " + registers("%rs", 2, rank - 2) : "";
    String policy = m.contains("L2::cache_hint") ? ", %rd5" : "";
    if (m.contains("prefetch")) {
      return map + offsets + policy;
    }
    return m.contains("bulk_group")
        ? map + ", [%r1]" + policy
        : "[%r1], "
            + map
            + ", [%r3]"
            + offsets
            + (m.contains("multicast::cluster") ? ", %rs1" : "")
            + policy;
  }

  private static String registers(String prefix, int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(k -> prefix + k)
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /** {@code tensormap.replace} and {@code tensormap.cp_fenceproxy}. */
  static String map(List<String> m) {
    if (m.contains("cp_fenceproxy")) {
      return "[%rd1], [%r1], 128";
    }
    boolean each =
        m.contains("box_dim")
            || m.contains("global_dim")
            || m.contains("global_stride")
            || m.contains("element_stride");
    return (m.contains("shared::cta") ? "[%r1]" : "[%rd1]")
        + (each ? ", 3" : "")
        + (m.contains("b64") ? ", 16" : ", 1");
  }

  /** {@code cp.async.bulk} and {@code cp.reduce.async.bulk}. */
  static String copy(List<String> m) {
    if (m.contains("commit_group")) {
      return "";
    }
    if (m.contains("wait_group")) {
      return "1";
    }
    if (m.contains("tensor")) {
      return tensor(m);
    }
    String policy = m.contains("L2::cache_hint") ? ", %rd5" : "";
    if (m.contains("prefetch")) {
      return "[%rd1], %r2" + policy;
    }
    if (m.contains("bulk_group")) {
      return "[%rd1], [%r1], %r2" + policy + (m.contains("cp_mask") ? ", %rs1" : "");
    }
    return "[%r1], "
        + (m.contains("global") ? "[%rd1]" : "[%r4]")
        + ", %r2, [%r3]"
        + (m.contains("multicast::cluster") ? ", %rs1" : "")
        + policy;
  }
}
