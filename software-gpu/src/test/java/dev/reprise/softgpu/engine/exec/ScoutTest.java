package dev.reprise.softgpu.engine.exec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A few runs find out whether the Vector API is fast before all use it. */
class ScoutTest {
  private final Scout scout = new Scout();

  private int letTry(int times) {
    int all = 0;
    for (int k = 0; k < times; k++) {
      all += scout.letsTry() ? 1 : 0;
    }
    return all;
  }

  @Test
  void fewTryAtFirst() {
    assertThat(letTry(100)).isEqualTo(3);
    assertThat(scout.won()).isFalse();
  }

  @Test
  void allMayOnceOneHasWon() {
    letTry(3);
    scout.ended(false);
    scout.ended(true);
    assertThat(scout.won()).isTrue();
    assertThat(letTry(100)).isEqualTo(100);
  }

  @Test
  void noneMayWhenAllHaveLost() {
    letTry(3);
    for (int k = 0; k < 3; k++) {
      scout.ended(false);
    }
    assertThat(letTry(5_000_000)).isZero();
    assertThat(scout.won()).isFalse();
  }

  @Test
  void othersWaitWhileOneTries() {
    letTry(3);
    for (int k = 0; k < 10; k++) {
      assertThat(letTry(900_000)).isZero();
      scout.tried();
    }
  }

  @Test
  void anotherTriesWhereTheFirstDoNotEnd() {
    letTry(3);
    scout.ended(false);
    assertThat(letTry(1_000_000)).isZero();
    assertThat(letTry(1)).isEqualTo(1);
    assertThat(letTry(1_000)).isZero();
  }
}
