package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.ptx.PtxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How instructions for clusters and bulk copies are written, and how not. */
final class ClusterFormTest {
  private static final long SEED = 11;

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "barrier.cluster.sync|needs one of .arrive, .wait",
        "barrier.cluster.arrive.acquire|unsupported instruction",
        "barrier.cluster.wait.relaxed|unsupported instruction",
        "barrier.cluster.wait 0|has 1 operands",
        "mapa.shared::cta.u32 %r1, %r2, %r3|unsupported instruction",
        "mapa.shared::cluster.s32 %r1, %r2, %r3|needs .u32 or .u64",
        "getctarank.shared::cluster.u32 %r1, %r2, %r3|has 3 operands",
        "mbarrier.arrive.shared::cluster.b64 %rd1, [%r1]|its destination must be _",
        "mbarrier.arrive.noComplete.shared::cluster.b64 _, [%r1], 1|cannot have .noComplete",
        "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1]|has 2 operands",
        "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1]|has 2 operands",
        "mbarrier.arrive.release.shared.b64 %rd1, [%r1]|needs one of .cta, .cluster",
        "mbarrier.arrive.cluster.shared.b64 %rd1, [%r1]|has a scope but no order",
        "mbarrier.arrive.acquire.cta.shared.b64 %rd1, [%r1]|has a scope but no order",
        "mbarrier.test_wait.release.cta.shared.b64 %p1, [%r1], %rd1|has a scope but no order",
        "mbarrier.expect_tx.release.cta.shared::cta.b64 [%r1], 16|has a scope but no order",
        "mbarrier.init.shared::cluster.b64 [%r1], 2|needs a barrier in .shared::cta",
        "mbarrier.init.release.cta.shared.b64 [%r1], 2|unsupported instruction",
        "mbarrier.inval.shared::cluster.b64 [%r1]|needs a barrier in .shared::cta",
        "mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd1|needs a barrier in .shared::cta",
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1, 20|has 4 operands",
        "mbarrier.pending_count.shared.b64 %r1, %rd1|unsupported instruction",
        "cp.async.mbarrier.arrive.shared::cluster.b64 [%r1]|needs a barrier in .shared::cta",
        "st.async.shared::cluster.u32 [%r1], %r2|needs .mbarrier::complete_tx::bytes",
        "st.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3]|unsupported instruction",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b16 [%r1], %rs1, [%r4]|elements of 4 or 8 bytes",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r1], {%rd2,%rd3,%rd4,%rd5}, [%r4]|16 bytes at most",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], {%r2}, [%r4]|moves 2 elements but names 1",
        "st.async.global.mbarrier::complete_tx::bytes.u32 [%rd1], %r2, [%r4]|writes to .shared::cluster",
        "st.async.release.gpu.global.v2.u32 [%rd1], {%r2,%r3}|stores one element",
        "st.async.release.gpu.global.u8 [%rd1], %rs2|stores one element",
        "st.async.release.cluster.global.u32 [%rd1], %r2|needs one of .gpu, .sys",
        "red.async.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, [%r3]|needs one of .relaxed",
        "red.async.relaxed.gpu.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%r1], %r2, [%r3]|needs one of .cluster",
        "red.async.relaxed.cluster.shared::cluster.or.b32 [%r1], %r2, [%r3]|needs .mbarrier::complete_tx::bytes",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.u32 [%r1], %r2, [%r3]|has no .or on .u32",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u64 [%r1], %rd2, [%r3]|has no .min on .u64",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r1], %f2, [%r3]|has no .add on .f32",
        "red.async.release.cta.global.add.u32 [%rd1], %r2|needs one of .gpu, .sys",
        "red.async.release.gpu.global.min.u64 [%rd1], %rd2|has no .min on .u64",
        "st.bulk.shared::cta [%r1], 64, 1|stores nothing but 0",
        "st.bulk.global [%rd1], 64, 0|writes to .shared::cta",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], %r2, [%r3], %rs1|unsupported instruction",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%r4], %r2, [%r3], %rd1|unsupported instruction",
        "cp.async.bulk.global.shared::cta [%rd1], [%r1], %r2|needs one of .mbarrier::complete_tx::bytes, .bulk_group",
        "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd1], [%r1], %r2, [%r3]|names its target after its source",
        "cp.async.bulk.shared::cta.shared::cluster.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3]|names its target after its source",
        "cp.async.bulk.shared::cta.global.bulk_group [%r1], [%rd1], %r2|names its target after its source",
        "cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%rd1], %r2|needs one of .shared::cta",
        "cp.async.bulk.shared.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3]|needs one of .shared::cluster, .shared::cta",
        "cp.async.bulk.global.shared.bulk_group [%rd1], [%r1], %r2|needs one of .shared::cta",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 24, [%r3]|a multiple of 16 bytes, not 24",
        "cp.async.bulk.wait_group.read %r1|needs a number of groups",
        "cp.async.bulk.wait_all|needs one of",
        "cp.async.bulk.prefetch.L1.global [%rd1], %r2|needs one of .L2",
        "cp.reduce.async.bulk.commit_group|needs one of",
        "cp.async.bulk.tensor.6d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3]|needs one of .1d",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3]|with 2 coordinates",
        "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1], [%r3]|with 1 coordinates",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r2, %r4}], [%r3], %rs1|unsupported instruction",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4}], [%r3]|with 5 coordinates",
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5, %r6, %r7}], [%r3]|copies rows of .2d",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile::scatter4.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5, %r6, %r7}], [%r3]|has a mode of stores: needs .tile, .tile::gather4",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile::gather4.bulk_group [%rd1, {%r2, %r4, %r5, %r6, %r7}], [%r3]|has a mode of loads: needs .tile, .tile::scatter4 or .im2col_no_offs",
        "cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4}], [%r3]|copies pixels of .3d, .4d or .5d",
        "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5, %r6}], [%r3]|has 3 operands",
        "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5, %r6}], [%r3], {%rs1}|needs {offsets} with 2 of 16 bits",
        "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5, %r6}], [%r3], %rs1|needs {offsets} with 2 of 16 bits",
        "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5}], [%r3], {%rs1}|needs {halo, offset}",
        "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5}], [%r3], {2, %rs1}|the software GPU copies no halo",
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [%rd1, {%r2, %r4, %r5}], [%r3]|has a mode of loads",
        "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs::w.bulk_group [%rd1, {%r2, %r4, %r5}], [%r3]|has a mode of loads",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd1, {%r2, %r4, %r5}]|has 1 operands",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col_no_offs [%rd1, {%r2, %r4, %r5}]|has a mode of stores",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group.cta_group::1 [%rd1, {%r2}], [%r3]|unsupported instruction",
        "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.cta_group::3 [%r1], [%rd1, {%r2}], [%r3]|unsupported instruction",
        "cp.async.bulk.tensor.1d.global.shared::cta.tile [%rd1, {%r2}], [%r1]|needs one of .mbarrier::complete_tx::bytes, .bulk_group",
        "cp.async.bulk.tensor.1d.shared::cta.global.tile.bulk_group [%rd1, {%r2}], [%r1]|names its target after its source",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r2, %r4}], [%r1]|needs one of .add",
        "cp.reduce.async.bulk.tensor.2d.shared::cta.global.add.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4}], [%r3]|needs .bulk_group",
        "fence.proxy.tensormap::generic.acquire.gpu|has 0 operands",
        "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64|needs the size 128",
        "fence.proxy.tensormap::generic.acquire [%rd1], 128|needs one of .cta, .cluster, .gpu, .sys",
        "fence.proxy.tensormap::generic.release.gpu [%rd1], 128|has 2 operands",
        "fence.proxy.tensormap::generic.acq_rel.gpu|needs one of .acquire, .release",
        "tensormap.load [%rd1]|needs one of .replace, .cp_fenceproxy",
        "tensormap.replace.im2col.rank.global.b1024.b32 [%rd1], 1|needs one of .tile",
        "tensormap.replace.tile.global.b1024.b32 [%rd1], 1|needs one of .global_address, .rank, .box_dim",
        "tensormap.replace.tile.rank.global.b32 [%rd1], 1|needs one of .b1024",
        "tensormap.replace.tile.rank.global.b1024.b64 [%rd1], 1|needs .b32",
        "tensormap.replace.tile.global_address.global.b1024.b32 [%rd1], %r2|needs .b64",
        "tensormap.replace.tile.global_stride.global.b1024 [%rd1], 1, %rd2|needs .b64",
        "tensormap.replace.tile.rank.shared::cluster.b1024.b32 [%r1], 1|unsupported instruction",
        "tensormap.replace.tile.rank.shared.b1024.b32 [%r1], 1|unsupported instruction",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], %r2|has 2 operands",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r2|needs a constant, 0 to 4",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], %r1, %r2|needs a constant, 0 to 4",
        "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 16|needs a constant, 0 to 15",
        "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], %r2|needs a constant, 0 to 15",
        "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd1], 4|needs a constant, 0 to 3",
        "tensormap.replace.tile.fill_mode.global.b1024.b32 [%rd1], 2|needs a constant, 0 to 1",
        "tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd1], 1|the software GPU has no tensors that are interleaved",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 64|needs the size 128",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], %r2|needs the size 128",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned [%rd1], [%r1], 128|needs one of .release",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.aligned [%rd1], [%r1], 128|needs one of .sync",
        "tensormap.cp_fenceproxy.shared::cta.global.tensormap::generic.release.gpu.sync.aligned [%r1], [%rd1], 128|names its target after its source",
        "cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [%r1], [%rd1], %r2, [%r3]|needs .shared::cta as its source",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r1], [%r4], %r2, [%r3]|has no .add on .f32",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r4], %r2|needs .noftz",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [%rd1], [%r4], %r2|which only sums of halves have",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.u32 [%rd1], [%r4], %r2|has no .and on .u32",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.exch.b32 [%rd1], [%r4], %r2|needs one of .add",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.cp_mask.add.u32 [%rd1], [%r4], %r2, %rs1|unsupported instruction"
      })
  void isRefusedWithItsLine(String what) {
    String[] parts = what.split("\\|", 2);
    String text = ClusterKernels.text("", "\n\n" + parts[0] + ";");
    int line = (int) text.substring(0, text.indexOf(parts[0])).lines().count() + 1;
    assertThatThrownBy(() -> device.load(text))
        .isInstanceOfSatisfying(PtxException.class, e -> assertThat(e.line()).isEqualTo(line))
        .hasMessageContaining(parts[1]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".blocksareclusters",
        ".reqntid 32 .blocksareclusters",
        ".maxntid 32 .reqnctapercluster 2 .blocksareclusters",
        ".reqntid 32 .maxclusterrank 2 .explicitcluster .blocksareclusters"
      })
  void aGridGivenInClustersNeedsTheirSize(String directives) {
    assertThatThrownBy(() -> ClusterKernels.load(device, directives, ""))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("needs .reqntid and .reqnctapercluster");
  }

  /** But for the spaces of a copy, whose order tells its direction. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "barrier.cluster.arrive.release.aligned",
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], 16",
        "mbarrier.arrive_drop.expect_tx.relaxed.cta.shared::cta.b64 %rd1, [%r1], 16",
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2, 100",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], {%r2,%r3}, [%r4]",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3]",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r4], %r2, [%r3]",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1], %r2, [%r3], %rs1, %rd5",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.bf16 [%rd1], [%r4], %r2, %rd5",
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::cache_hint [%r1], [%rd1, {%r2, %r4, %r5, %r6}], [%r3], {%rs1, 2}, %rs3, %rd5",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5, %r6, 7}], [%r3]",
        "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group.L2::cache_hint [%rd1, {%r2, %r4, %r5}], [%r3], %rd5",
        "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col::w::128.L2::cache_hint [%rd1, {%r2, %r4, %r5, %r6, %r7}], {0, %rs1}, %rd5",
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 3, %r2",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128",
        "mapa.shared::cluster.u32 %r1, %r2, %r3"
      })
  void takesItsModifiersInAnyOrder(String instruction) {
    String form = instruction.split(" ", 2)[0];
    String operands = instruction.substring(form.length());
    List<String> parts = new ArrayList<>(List.of(form.split("\\.")));
    String opcode = parts.removeFirst();
    Random random = new Random(SEED);
    for (int n = 0; n < 20; n++) {
      List<String> shuffled = new ArrayList<>(parts);
      Collections.shuffle(shuffled, random);
      List<String> spaces = shuffled.stream().filter(ClusterFormTest::space).toList();
      List<String> wanted = parts.stream().filter(ClusterFormTest::space).toList();
      shuffled.replaceAll(m -> space(m) ? wanted.get(spaces.indexOf(m)) : m);
      String text = opcode + "." + String.join(".", shuffled) + operands;
      device.load(ClusterKernels.text("", text + ";")).unload();
    }
    assertThat(parts).isNotEmpty();
  }

  private static boolean space(String modifier) {
    return modifier.equals("global") || modifier.startsWith("shared");
  }
}
