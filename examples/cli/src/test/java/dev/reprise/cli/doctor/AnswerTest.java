package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;

class AnswerTest {

  @Test
  void aValueHasNoFailure() {
    Answer<Integer> answer = Answer.of(() -> 5);
    assertThat(answer.value()).isEqualTo(5);
    assertThat(answer.failureText()).isEmpty();
    assertThat(answer.orElse(e -> 0)).isEqualTo(5);
  }

  @Test
  void aFailureIsOneLine() {
    Answer<Integer> answer =
        Answer.of(() -> {
          throw new IllegalStateException("it failed\n  with a log\n");
        });
    assertThat(answer.value()).isNull();
    assertThat(answer.failureText()).hasValue("it failed | with a log");
    assertThat(answer.orElse(e -> 0)).isZero();
  }

  @Test
  void aFailureWithoutAMessageIsNamedByItsType() {
    assertThat(Answer.text(new IllegalStateException()))
        .isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void ofAServiceOrClassThatDoesNotStartTheCauseIsTold() {
    Throwable cause = new IllegalArgumentException("the setting is wrong");
    assertThat(Answer.text(new ServiceConfigurationError("could not be instantiated", cause)))
        .isEqualTo("the setting is wrong");
    assertThat(Answer.text(new ExceptionInInitializerError(cause)))
        .isEqualTo("the setting is wrong");
  }

  @Test
  void aLinkageErrorIsKeptToo() {
    Answer<Integer> answer =
        Answer.of(() -> {
          throw new NoClassDefFoundError("a class");
        });
    assertThat(answer.failureText()).hasValue("NoClassDefFoundError: a class");
  }
}
