package dev.reprise.softgpu.driver.operation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.engine.KernelCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A kernel of a module ({@code CUfunction}) with the attributes that callers set. */
public final class KernelFunction extends Handled {

  private final LoadedImage image;
  private final KernelCode code;
  private final int ptxVersion;
  private volatile int maxDynamicShared;
  private volatile int sharedCarveout = -1;
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
