package dev.reprise.kernels.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgreementTest {

  private static final float NAN = Float.NaN;
  private static final float INFINITY = Float.POSITIVE_INFINITY;

  @Test
  void theWorstElementIsTheOneThatUsesMostOfItsTolerance() {
    Agreement agreement =
        Agreement.within("y", new float[] {100.5f, 1.25f}, new double[] {100, 1}, 0.01, 0.25);
    assertThat(agreement.maxAbsolute()).isEqualTo(0.5);
    assertThat(agreement.maxRelative()).isEqualTo(0.25);
    assertThat(agreement.ofTolerance()).isEqualTo(0.25 / 0.26);
    assertThat(agreement.detail()).isEqualTo("y[1] is 1.25, and should be 1.0");
    assertThat(agreement.holds()).isTrue();
  }

  @Test
  void nanAgreesWithNanAloneAndInfinityWithItself() {
    float[] actual = {NAN, INFINITY};
    assertThat(Agreement.exact("y", actual, new double[] {NAN, INFINITY}).ofTolerance()).isZero();
    assertThat(Agreement.within("y", actual, new double[] {1, INFINITY}, 1, 1).holds()).isFalse();
    assertThat(Agreement.within("y", actual, new double[] {NAN, 1}, 1, 1).holds()).isFalse();
    assertThat(Agreement.within("y", actual, new double[] {NAN, NAN}, 1, 1).holds()).isFalse();
  }

  @Test
  void exactResultsAllowNothing() {
    assertThat(Agreement.exact("y", new int[] {1, 2}, new int[] {1, 3}).holds()).isFalse();
    assertThat(Agreement.exact("y", new int[] {1, 2}, new int[] {1, 2}).holds()).isTrue();
  }

  @Test
  void togetherTheyHoldOnlyIfBothDo() {
    Agreement good = Agreement.exact("a", new int[] {1}, new int[] {1});
    Agreement bad = Agreement.exact("b", new int[] {1}, new int[] {2});
    for (Agreement both : new Agreement[] {good.and(bad), bad.and(good)}) {
      assertThat(both.holds()).isFalse();
      assertThat(both.elements()).isEqualTo(2);
      assertThat(both.detail()).startsWith("b[0]");
    }
  }
}
