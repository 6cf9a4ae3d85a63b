package dev.reprise.softgpu.junit;

import dev.reprise.softgpu.sanitizer.ReportKind;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a test makes a mistake on purpose, of which the sanitizer has to make so many reports
 * where it looks for their kind: with {@link NoReports} the test fails on any other report, and on
 * any other number of them, none included.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(PlantedMistakes.class)
public @interface PlantedMistake {

  /** What the reports are of. */
  ReportKind kind();

  /** How many there are of this kind, for each invocation of the test. */
  int reports() default 1;

  /**
   * The invocations that it is about, where a test has several: those whose display name contains
   * this. Of those that two mistakes of one kind are about the longer text counts.
   */
  String invocation() default "";

  /** Why the test does this. */
  String why();
}
