package dev.reprise.cuda.olddriver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.bindings.DriverSymbol;
import dev.reprise.bindings.spi.DriverProvider;
import dev.reprise.softgpu.SoftwareDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Optional;

/**
 * The software GPU as a driver of an older CUDA would be: it lacks what came later, and says so
 * when it is asked for its version.
 */
public final class OldDriver implements DriverProvider {

  /** System property with the version, as 1000 × major + 10 × minor. */
  static final String VERSION = "reprise.test.driver.version";

  private static final int CUDA = Integer.getInteger(VERSION, 12000);

  private final SoftwareDriver driver = new SoftwareDriver();
  private final MemorySegment version = versionStub();

  /** For the service loader. */
  public OldDriver() {}

  @Override
  public String name() {
    return "old driver";
  }

  @Override
  public Optional<MemorySegment> find(String symbol) {
    if (symbol.equals("cuDriverGetVersion")) {
      return Optional.of(version);
    }
    DriverSymbol known = DriverSymbol.all().get(symbol);
    return known != null && known.version() > CUDA ? Optional.empty() : driver.find(symbol);
  }

  private static MemorySegment versionStub() {
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, ADDRESS);
    try {
      return Linker.nativeLinker()
          .upcallStub(
              MethodHandles.lookup()
                  .findStatic(OldDriver.class, "writeVersion", type.toMethodType()),
              type,
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("writeVersion", e);
    }
  }

  static int writeVersion(MemorySegment out) {
    out.reinterpret(JAVA_INT.byteSize()).set(JAVA_INT, 0, CUDA);
    return 0;
  }
}
