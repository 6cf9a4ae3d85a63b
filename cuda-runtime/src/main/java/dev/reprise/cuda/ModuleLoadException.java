package dev.reprise.cuda;

/**
 * The driver could not load a module or a library; the message ends with what its compiler wrote.
 */
public final class ModuleLoadException extends CudaException {

  private static final long serialVersionUID = 1L;

  private final String errorLog;
  private final String infoLog;

  ModuleLoadException(
      int code,
      String name,
      String function,
      String arguments,
      String driverText,
      boolean contextPoisoned,
      String errorLog,
      String infoLog) {
    super(code, name, function, arguments, driverText, contextPoisoned, errorLog);
    this.errorLog = errorLog;
    this.infoLog = infoLog;
  }

  /** What the compiler of the driver wrote about errors; empty if nothing. */
  public String errorLog() {
    return errorLog;
  }

  /** What the compiler of the driver wrote besides; empty if nothing. */
  public String infoLog() {
    return infoLog;
  }
}
