package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams that are ordered by numbers in memory. */
final class SignalAccessTest extends AccessTest {

  private DeviceBuffer flag;

  @SuppressWarnings("NullAway.Init") // set before each test
  SignalAccessTest() {}

  @BeforeEach
  void openFlag() {
    flag = device.allocate("flag", 8);
    stream.fill32(flag, 0, 2, 0);
    stream.synchronize();
  }

  @AfterEach
  void closeFlag() {
    flag.close();
  }

  @Test
  void aNumberThatIsWrittenOrders() {
    left.fill32(a, 0, N, 1);
    left.writeValue32(flag, 0, 1);
    right.waitValue32(flag, 0, 1, WaitCondition.GREATER_OR_EQUAL);
    right.fill32(a, 0, N, 2);
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void theNumbersOfABatchOrder() {
    left.fill32(a, 0, N, 1);
    left.batch(List.of(WordOperation.write32(flag, 4, 9), WordOperation.write32(flag, 0, 1)));
    right.batch(List.of(WordOperation.wait32(flag, 0, 1, WaitCondition.EQUAL)));
    right.fill32(a, 0, N, 2);
    assertNothingFound();
    left.fill32(b, 0, N, 1);
    right.batch(List.of(WordOperation.wait32(flag, 4, 9, WaitCondition.EQUAL)));
    right.fill32(b, 0, N, 2);
    assertThat(found().memory().label()).isEqualTo("b");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aNumberThatIsWrittenTooEarlyDoesNot() {
    left.writeValue32(flag, 0, 1);
    left.fill32(a, 0, N, 1);
    right.waitValue32(flag, 0, 1, WaitCondition.EQUAL);
    right.fill32(a, 0, N, 2);
    assertThat(found().first().stream()).isEqualTo("left");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aNumberThatEndsAnotherWaitDoesNot() {
    left.writeValue32(flag, 0, 1);
    left.fill32(a, 0, N, 1);
    left.writeValue32(flag, 0, 2);
    right.waitValue32(flag, 0, 2, WaitCondition.EQUAL);
    increment(a).launch(right);
    assertNothingFound();
    left.fill32(b, 0, N, 1);
    left.writeValue32(flag, 4, 1);
    stream.waitValue32(flag, 0, 2, WaitCondition.GREATER_OR_EQUAL);
    increment(b).launch(stream);
    assertThat(found().memory().label()).isEqualTo("b");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aNumberThatIsWrittenLaterOrdersAsWell() {
    right.waitValue32(flag, 0, 1, WaitCondition.EQUAL);
    right.copy(a, 0, b, 0, 32);
    left.fill32(a, 0, N, 1);
    left.writeValue32(flag, 0, 1);
    // From here on the wait is explained.
    right.fill32(a, 0, N, 1);
    assertNothingFound();
    left.fill32(a, 32, N / 2, 1);
    assertThat(found().first().stream()).isEqualTo("right");
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aNumberThatTheHostWritesOrders() {
    try (PinnedBuffer word = device.allocatePinned("word", 4)) {
      word.segment().set(JAVA_INT, 0, 0);
      left.fill32(a, 0, N, 1);
      right.waitValue32(word, 0, 1, WaitCondition.EQUAL);
      right.fill32(a, 0, N, 2);
      assertNothingFound();
      left.synchronize();
      word.segment().set(JAVA_INT, 0, 1);
      right.synchronize();
      // The wait is over; from here on the order is known again.
      right.fill32(a, 0, N, 3);
      left.fill32(a, 0, N, 4);
      assertThat(found().second().stream()).isEqualTo("left");
    }
  }
}
