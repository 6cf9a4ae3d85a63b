package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.decode.ModuleDecoder.DecodedKernel;
import dev.reprise.softgpu.engine.exec.DeviceCallOp;
import dev.reprise.softgpu.engine.exec.Program;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A kernel of a loaded module, decoded and ready to run. Immutable. */
public final class KernelCode {
  private final DecodedKernel kernel;

  /** Functions of the device that it calls. */
  private final Set<String> called;

  private final BlockPool blocks = new BlockPool();

  KernelCode(DecodedKernel kernel) {
    this.kernel = kernel;
    called =
        Arrays.stream(kernel.program().code())
            .filter(DeviceCallOp.class::isInstance)
            .map(op -> ((DeviceCallOp) op).function())
            .collect(Collectors.toUnmodifiableSet());
  }

  /** File and line of the source that a PTX line comes from; null where the PTX does not say. */
  public @Nullable String source(int ptxLine) {
    return program().sources().get(ptxLine);
  }

  public String name() {
    return program().name();
  }

  public int parameterCount() {
    return kernel.parameterOffsets().length;
  }

  /** Byte offset of parameter {@code i} in the parameter block. */
  public int parameterOffset(int i) {
    return kernel.parameterOffsets()[i];
  }

  /** Size of parameter {@code i} in bytes. */
  public int parameterSize(int i) {
    return kernel.parameterSizes()[i];
  }

  /** Size of the parameter block. */
  public int parameterBytes() {
    return program().parameterBytes();
  }

  /**
   * Shared memory of the kernel's own variables, per block. Dynamic shared memory starts behind it.
   */
  public int staticSharedBytes() {
    return program().staticSharedBytes();
  }

  /** True when the code calls {@code malloc}, {@code free} or another function of the device. */
  public boolean calls(String function) {
    return called.contains(function);
  }

  /** Local memory per thread, without that for functions that call themselves. */
  public int localBytes() {
    return program().localBytes();
  }

  /** 32-bit registers per thread, an estimate from the PTX, 255 at most. */
  public int registers() {
    return Math.clamp(kernel.registers(), 1, 255);
  }

  /** Limit from {@code .maxntid} or {@code .reqntid}, else 1024. */
  public int maxThreadsPerBlock() {
    return kernel.maxThreads();
  }

  /** Blocks of a cluster as {@code .reqnctapercluster} has them; null where there is none. */
  public @Nullable Dim3 requiredCluster() {
    List<Long> required = kernel.directives().get("reqnctapercluster");
    return required == null ? null : cluster(required);
  }

  private static Dim3 cluster(List<Long> blocks) {
    int[] all = {1, 1, 1};
    for (int k = 0; k < Math.min(3, blocks.size()); k++) {
      all[k] = (int) Math.clamp(blocks.get(k), 1, Integer.MAX_VALUE);
    }
    return new Dim3(all[0], all[1], all[2]);
  }

  /** Whether a launch must say how large its clusters are ({@code .explicitcluster}). */
  public boolean mustNameCluster() {
    return kernel.directives().containsKey("explicitcluster") && requiredCluster() == null;
  }

  /** Whether launches give the grid in clusters ({@code .blocksareclusters}). */
  public boolean countsClusters() {
    return kernel.directives().containsKey("blocksareclusters");
  }

  /** Limit of {@code .maxclusterrank} for the blocks of a cluster; 0 for none. */
  public int maxClusterRank() {
    List<Long> most = kernel.directives().getOrDefault("maxclusterrank", List.of());
    return most.isEmpty() ? 0 : (int) Math.clamp(most.getFirst(), 0, Integer.MAX_VALUE);
  }

  Program program() {
    return kernel.program();
  }

  DecodedKernel decoded() {
    return kernel;
  }

  BlockPool blocks() {
    return blocks;
  }
}
