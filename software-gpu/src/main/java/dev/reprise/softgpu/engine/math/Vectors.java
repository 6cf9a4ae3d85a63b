package dev.reprise.softgpu.engine.math;

/**
 * Whether generated code may use the JDK's Vector API, an incubator module: it is there in a JVM
 * that was started with {@code --add-modules jdk.incubator.vector}.
 */
public final class Vectors {
  private static final String MODULE = "jdk.incubator.vector";

  /** Whether the module is there. */
  public static final boolean AVAILABLE =
      ModuleLayer.boot()
          .findModule(MODULE)
          .map(m -> Vectors.class.getModule().canRead(m))
          .orElse(false);

  private Vectors() {}
}
