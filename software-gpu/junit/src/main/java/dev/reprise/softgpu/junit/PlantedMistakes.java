package dev.reprise.softgpu.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Several kinds of {@link PlantedMistake}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface PlantedMistakes {

  /** Each of them. */
  PlantedMistake[] value();
}
