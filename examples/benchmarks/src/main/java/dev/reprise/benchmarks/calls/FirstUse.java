package dev.reprise.benchmarks.calls;

/**
 * The first use of a driver in a process, to see what starting costs. The program does one of them
 * and writes a byte, by which whoever started it knows that it is done.
 */
public interface FirstUse {

  /** Calls {@code cuDriverGetVersion}, which needs no device. */
  void call();

  /** Opens a device, makes a kernel and its arguments ready and launches it. */
  void launch();

  /**
   * Runs one.
   *
   * @param args {@code nothing}, or the class of a first use and which, {@code call} or {@code
   *     launch}
   */
  static void main(String[] args) throws ReflectiveOperationException {
    if (!args[0].equals("nothing")) {
      FirstUse use = (FirstUse) Class.forName(args[0]).getDeclaredConstructor().newInstance();
      switch (args[1]) {
        case "call" -> use.call();
        case "launch" -> use.launch();
        default -> throw new IllegalArgumentException(args[1]);
      }
    }
    System.out.write('!');
    System.out.flush();
  }
}
