package dev.reprise.softgpu.driver.operation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.engine.Dim3;
import dev.reprise.softgpu.engine.KernelCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/** A kernel of a module ({@code CUfunction}) with the attributes that callers set. */
public final class KernelFunction extends Handled {

  private final LoadedImage image;
  private final KernelCode code;
  private final int ptxVersion;
  private volatile int maxDynamicShared;
  private volatile int sharedCarveout = -1;
  private volatile boolean nonPortableClusters;
  private volatile int clusterPolicy;

  /** Along each axis, as callers set it; all 0 for none. */
  private final AtomicIntegerArray cluster = new AtomicIntegerArray(3);

  private @Nullable MemorySegment nativeName;

  KernelFunction(
      Handles handles, LoadedImage image, KernelCode code, int ptxVersion, int maxDynamicShared) {
    super(handles, HandleKind.FUNCTION);
    this.image = image;
    this.code = code;
    this.ptxVersion = ptxVersion;
    this.maxDynamicShared = maxDynamicShared;
  }

  /** The module it belongs to. */
  public LoadedImage image() {
    return image;
  }

  /** What runs. */
  public KernelCode code() {
    return code;
  }

  /** The PTX version it was written in, as 10 × major + minor. */
  public int ptxVersion() {
    return ptxVersion;
  }

  /** The most dynamic shared memory that a launch may ask for, in bytes. */
  public int maxDynamicShared() {
    return maxDynamicShared;
  }

  public void maxDynamicShared(int bytes) {
    maxDynamicShared = bytes;
  }

  /** The preferred share of shared memory in percent; -1 is the default. A hint without effect. */
  public int sharedCarveout() {
    return sharedCarveout;
  }

  public void sharedCarveout(int percent) {
    sharedCarveout = percent;
  }

  /** Whether clusters may have more blocks than all devices allow. */
  public boolean nonPortableClusters() {
    return nonPortableClusters;
  }

  public void nonPortableClusters(boolean allowed) {
    nonPortableClusters = allowed;
  }

  /** How blocks of a cluster are to be spread. A hint without effect. */
  public int clusterPolicy() {
    return clusterPolicy;
  }

  public void clusterPolicy(int policy) {
    clusterPolicy = policy;
  }

  /**
   * The blocks of a cluster that every launch has; null where launches say.
   *
   * @throws CudaFailure if callers have set one along some axes only
   */
  public @Nullable Dim3 requiredCluster() {
    Dim3 compiled = code.requiredCluster();
    if (compiled != null) {
      return compiled;
    }
    int x = cluster.get(0);
    int y = cluster.get(1);
    int z = cluster.get(2);
    if (x == 0 && y == 0 && z == 0) {
      return null;
    }
    if (x == 0 || y == 0 || z == 0) {
      throw LaunchCluster.invalid(
          "%s requires clusters of %d x %d x %d blocks".formatted(code.name(), x, y, z));
    }
    return new Dim3(x, y, z);
  }

  /** The blocks of a cluster along an axis from 0; 0 where launches say. */
  public int requiredCluster(int axis) {
    Dim3 compiled = code.requiredCluster();
    if (compiled == null) {
      return cluster.get(axis);
    }
    return axis == 0 ? compiled.x() : axis == 1 ? compiled.y() : compiled.z();
  }

  /** Sets the blocks of a cluster along an axis, for a kernel that was not compiled for one. */
  public void requireCluster(int axis, int blocks) {
    cluster.set(axis, blocks);
  }

  /** The name as a C string that lives as long as this function. */
  public synchronized MemorySegment nativeName() {
    MemorySegment name = nativeName;
    if (name == null) {
      byte[] bytes = (code.name() + '\0').getBytes(StandardCharsets.UTF_8);
      name = Arena.ofAuto().allocateFrom(JAVA_BYTE, bytes);
      nativeName = name;
    }
    return name;
  }
}
