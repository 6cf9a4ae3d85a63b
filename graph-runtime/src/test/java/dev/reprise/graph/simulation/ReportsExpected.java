package dev.reprise.graph.simulation;

import dev.reprise.softgpu.sanitizer.ReportKind;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that plants what the sanitizer reports; other kinds than these still fail it. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ReportsExpected {

  /** What is planted. */
  String why();

  /** The kinds that the sanitizer may report of it, at the level at which it looks for them. */
  ReportKind[] value();
}
