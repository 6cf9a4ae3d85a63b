package dev.reprise.softgpu.engine.math;

/**
 * PTX's rounding modifiers: to nearest even, towards zero, towards minus and plus infinity, to
 * nearest with ties away from zero.
 */
public enum RoundingMode {
  RN,
  RZ,
  RM,
  RP,
  RNA;

  /** Rounds to an integral value. */
  public double integral(double v) {
    return switch (this) {
      case RN -> Math.rint(v);
      case RZ -> v < 0 ? Math.ceil(v) : Math.floor(v);
      case RM -> Math.floor(v);
      case RP -> Math.ceil(v);
      case RNA -> Math.copySign(awayFromTie(Math.abs(v)), v);
    };
  }

  private static double awayFromTie(double v) {
    double down = Math.floor(v);
    return v - down >= 0.5 ? down + 1 : down;
  }

  /** Whether a magnitude beyond the largest finite number becomes infinity. */
  boolean overflowsToInfinity(boolean negative) {
    return switch (this) {
      case RN, RNA -> true;
      case RZ -> false;
      case RM -> negative;
      case RP -> !negative;
    };
  }
}
