package dev.reprise.bindings;

/**
 * Which driver the process was told to use, and by what.
 *
 * @param choice {@code auto}, {@code cuda}, {@code software}, or the path of a library
 * @param origin where that was said
 */
public record DriverSetting(String choice, Origin origin) {

  /** Where a choice comes from, the strongest first. */
  public enum Origin {
    /** The system property {@value DriverLibrary#PROPERTY}. */
    PROPERTY,
    /** The environment variable {@value DriverLibrary#ENVIRONMENT}. */
    ENVIRONMENT,
    /** Nothing was said: {@code auto}. */
    DEFAULT
  }

  /** What {@link DriverLibrary#current()} chooses by when it is the first to choose. */
  public static DriverSetting configured() {
    String property = System.getProperty(DriverLibrary.PROPERTY);
    if (property != null && !property.isBlank()) {
      return new DriverSetting(property, Origin.PROPERTY);
    }
    String variable = System.getenv(DriverLibrary.ENVIRONMENT);
    if (variable != null && !variable.isBlank()) {
      return new DriverSetting(variable, Origin.ENVIRONMENT);
    }
    return new DriverSetting("auto", Origin.DEFAULT);
  }
}
