package dev.reprise.kernels.contract;

import java.util.function.LongPredicate;

/**
 * A named whole number of a contract: an extent of a shape or an integer parameter of the kernel.
 *
 * @param name how shapes refer to it
 * @param least smallest value allowed
 * @param most largest value allowed
 * @param form what else it must be
 * @param meaning what it is, with its unit
 */
public record Symbol(String name, long least, long most, Form form, String meaning) {

  /** What a number must be besides within its limits. */
  public enum Form {
    /** Nothing more. */
    ANY("", value -> true),
    /** A power of two. */
    POWER_OF_TWO("a power of two ", value -> Long.bitCount(value) == 1);

    private final String text;
    private final LongPredicate holds;

    Form(String text, LongPredicate holds) {
      this.text = text;
      this.holds = holds;
    }
  }

  /** Whether the value is allowed. */
  public boolean allows(long value) {
    return value >= least && value <= most && form.holds.test(value);
  }

  /** What is required, in words, such as {@code a power of two from 16 to 1024}. */
  public String requirement() {
    return form.text + "from " + least + " to " + most;
  }
}
