package dev.reprise.softgpu.sanitizer;

/** A program that leaks where it is told to, and ends with status 0 by itself. */
final class LeakyProgram {

  private LeakyProgram() {}

  /** The options of the sanitizer, and how many buffers to leak. */
  public static void main(String[] arguments) {
    SanitizedProgram program = new SanitizedProgram(SanitizerOptions.parse(arguments[0]));
    for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
      program.allocate(4);
    }
    program.close();
    System.exit(0);
  }
}
