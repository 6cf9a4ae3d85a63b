package dev.reprise.graph.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TileLedgerTest {

  @Test
  void theWorkedExample() {
    TileLedger ledger = new TileLedger(64, 64, 32, 2, 2, 48 * 1024);
    assertThat(ledger.sharedBytes()).isEqualTo(16_384);
    assertThat(ledger.flops()).isEqualTo(262_144);
    assertThat(ledger.hbmBytes()).isEqualTo(8_192);
    assertThat(ledger.intensity()).isEqualTo(32);
    assertThat(ledger.accumulatorBytes()).isEqualTo(16_384);
    assertThat(ledger.fits()).isTrue();
    assertThat(ledger.mostStages()).isEqualTo(6);
  }

  @Test
  void itFitsUpToTheLastByteAndNoFurther() {
    assertThat(new TileLedger(64, 64, 32, 2, 6, 49_152).fits()).isTrue();
    assertThat(new TileLedger(64, 64, 32, 2, 6, 49_151).fits()).isFalse();
    assertThat(new TileLedger(64, 64, 32, 2, 1, 0).mostStages()).isZero();
  }

  @Test
  void aMatrixTimesAVectorHasAnIntensityUnderTwoForEachElement() {
    TileLedger vector = new TileLedger(1024, 1, 64, 2, 1, 1 << 20);
    assertThat(vector.flops()).isEqualTo(131_072);
    assertThat(vector.hbmBytes()).isEqualTo(2 * (1024 * 64 + 64));
    assertThat(vector.intensity()).isLessThan(1);
  }

  @Test
  void theLargestSizesDoNotOverflow() {
    TileLedger huge = new TileLedger(65_536, 65_536, 65_536, 8, 65_536, Long.MAX_VALUE);
    assertThat(huge.flops()).isEqualTo(1L << 49);
    assertThat(huge.sharedBytes()).isEqualTo(1L << 52);
  }

  @Test
  void sizesOutOfRangeAreRefusedByName() {
    assertThatThrownBy(() -> new TileLedger(0, 1, 1, 1, 1, 1))
        .hasMessage("the m must be 1 to 65536: 0");
    assertThatThrownBy(() -> new TileLedger(1, 1, 1, 1, 0, 1))
        .hasMessageContaining("the number of stages must be 1 to 65536: 0");
    assertThatThrownBy(() -> new TileLedger(1, 1, 1, 1, 1, -1)).hasMessageContaining("-1");
  }
}
