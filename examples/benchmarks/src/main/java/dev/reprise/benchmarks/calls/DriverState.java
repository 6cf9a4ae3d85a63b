package dev.reprise.benchmarks.calls;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The driver library of this process, loaded before the binding asks for it. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init")
public abstract class DriverState {

  /** Blocks of each launch. */
  protected static final int BLOCKS = 32;

  /** Threads of a block. */
  protected static final int THREADS = 128;

  /** Bytes of each of the two buffers that a launch passes. */
  protected static final int BYTES = 1024;

  /** Launches made; each passes its number as the argument that changes. */
  protected int launches;

  /** Graph launches made. */
  protected long graphLaunches;

  private CalledDriver driver;

  /** For subclasses. */
  protected DriverState() {}

  /** Makes ready all but a graph. */
  protected abstract void open();

  /** Makes a graph ready; {@link #open} was called. */
  protected void openGraph() {}

  /** Lets go of it. */
  protected void close() {}

  /** Loads the library, then makes everything else ready. */
  @Setup(Level.Trial)
  public void setUp() {
    loadAndOpen();
    openGraph();
  }

  /** Loads the library, then makes ready all but a graph. */
  public final void loadAndOpen() {
    driver = CalledDriver.load();
    open();
  }

  /** Makes sure that this library was called, with what it was to be called with. */
  @TearDown(Level.Trial)
  public void tearDown() {
    driver.checkAlone();
    if (launches != 0) {
      driver.checkLaunches(launches);
    }
    if (graphLaunches != 0) {
      driver.checkGraphLaunches(graphLaunches);
    }
    close();
  }

  /** Fails for any answer of the driver but success. */
  public static void succeed(int code) {
    if (code != 0) {
      throw new IllegalStateException("The driver answers " + code + ".");
    }
  }
}
