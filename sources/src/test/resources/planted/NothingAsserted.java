package planted;

import static org.assertj.core.api.Assertions.assertThat;

/** The compiler must say that line 10 asserts nothing. */
class NothingAsserted {
  private NothingAsserted() {}

  static void check(int a) {
    assertThat(a == 1);
  }
}
