package dev.reprise.graph.tune;

/**
 * Reads the lines that a trace of a million holds: one flat object of the known fields, with plain
 * numbers. Whatever else a line may be, right or wrong, is not read here but left to the JSON
 * parser, which also names what is wrong; so the two never disagree on a line that this one reads.
 */
final class TraceLine {

  private static final String[] NAMES = {"rows", "positions", "steps", "at_ms", "prompt", "output"};
  private static final int ROWS = 0;
  private static final int POSITIONS = 1;
  private static final int STEPS = 2;
  private static final int AT = 3;
  private static final int PROMPT = 4;
  private static final int OUTPUT = 5;
  private static final int STEP_FIELDS = 1 << ROWS | 1 << POSITIONS;
  private static final int REQUEST_FIELDS = 1 << AT | 1 << PROMPT | 1 << OUTPUT;

  /** Digits that an int surely has room for. */
  private static final int MOST_DIGITS = 9;

  /** Characters of a number that is worth reading here. */
  private static final int MOST_NUMBER = 17;

  private final int[] whole = new int[NAMES.length];
  private double atMillis;
  private int seen;
  private String text = "";
  private int at;

  /** Reads a line; false if it is not one of the two plain forms. */
  boolean read(String line) {
    text = line;
    at = 0;
    seen = 0;
    if (!next('{')) {
      return false;
    }
    do {
      int field = field();
      if (field < 0 || (seen & 1 << field) != 0 || !next(':') || !number(field)) {
        return false;
      }
      seen |= 1 << field;
    } while (next(','));
    if (!next('}')) {
      return false;
    }
    skipSpace();
    return at == text.length() && (isSteps() || seen == REQUEST_FIELDS);
  }

  /** Whether the line holds steps, and not a request. */
  boolean isSteps() {
    return (seen & ~(1 << STEPS)) == STEP_FIELDS;
  }

  int rows() {
    return whole[ROWS];
  }

  int positions() {
    return whole[POSITIONS];
  }

  int steps() {
    return (seen & 1 << STEPS) == 0 ? 1 : whole[STEPS];
  }

  Arrival arrival() {
    return new Arrival(atMillis, whole[PROMPT], whole[OUTPUT]);
  }

  private void skipSpace() {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }

  private boolean next(char wanted) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private int field() {
    if (!next('"')) {
      return -1;
    }
    for (int field = 0; field < NAMES.length; field++) {
      String name = NAMES[field];
      int end = at + name.length();
      if (end < text.length() && text.charAt(end) == '"' && text.startsWith(name, at)) {
        at = end + 1;
        return field;
      }
    }
    return -1;
  }

  /** A number as JSON has it, without a sign or an exponent; whole and above 0 but for the time. */
  private boolean number(int field) {
    skipSpace();
    int start = at;
    int value = digits();
    int digits = at - start;
    if (digits == 0 || digits > MOST_DIGITS || (digits > 1 && text.charAt(start) == '0')) {
      return false;
    }
    whole[field] = value;
    if (field != AT) {
      return value > 0;
    }
    if (at == text.length() || text.charAt(at) != '.') {
      atMillis = value;
      return true;
    }
    at++;
    int point = at;
    digits();
    if (at == point || at - start > MOST_NUMBER) {
      return false;
    }
    atMillis = Double.parseDouble(text.substring(start, at));
    return true;
  }

  /** Passes over digits; their value, if there are at most nine. */
  private int digits() {
    int value = 0;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      value = value * 10 + text.charAt(at++) - '0';
    }
    return value;
  }
}
