package dev.reprise.graph.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BucketSetTest {

  private final BucketSet set = BucketSet.of(List.of(8, 1, 4, 4), List.of(512, 128));

  @Test
  void theSmallestBucketThatFitsIsTakenForEveryRowCountAndContext() {
    for (int rows = 1; rows <= 8; rows++) {
      for (int positions = 1; positions <= 512; positions++) {
        Bucket bucket = set.smallest(rows, positions).orElseThrow();
        assertThat(bucket.fits(rows, positions)).isTrue();
        int wantedRows = rows == 1 ? 1 : rows <= 4 ? 4 : 8;
        int wantedContext = positions <= 128 ? 128 : 512;
        assertThat(bucket).isEqualTo(new Bucket(wantedRows, wantedContext));
      }
    }
  }

  @Test
  void nothingFitsBeyondTheLargest() {
    assertThat(set.smallest(9, 1)).isEqualTo(Optional.empty());
    assertThat(set.smallest(1, 513)).isEqualTo(Optional.empty());
  }

  @Test
  void captureOrderIsLargestFirst() {
    assertThat(set.largestFirst())
        .extracting(Bucket::toString)
        .containsExactly("8x512", "8x128", "4x512", "4x128", "1x512", "1x128");
  }

  @Test
  void bandsMayHaveContextsOfTheirOwn() {
    BucketSet ragged =
        BucketSet.of(
            List.of(new Bucket(2, 64), new Bucket(8, 64), new Bucket(8, 256)),
            List.of(new Bucket(2, 128)));
    assertThat(ragged.smallest(1, 64)).contains(new Bucket(2, 64));
    assertThat(ragged.smallest(1, 65)).as("runs eagerly").isEmpty();
    assertThat(ragged.smallest(1, 129)).as("only a wider band fits").contains(new Bucket(8, 256));
    assertThat(ragged.smallest(3, 10)).contains(new Bucket(8, 64));
    assertThat(ragged.smallest(3, 257)).isEmpty();
    assertThat(ragged.maxContext()).isEqualTo(256);
    assertThat(ragged.eager()).containsExactly(new Bucket(2, 128));
    assertThat(ragged.toString()).isEqualTo("2 rows × 64 128 (eager), 8 rows × 64 256");
  }

  @Test
  void aBucketIsEitherReplayedOrEager() {
    List<Bucket> one = List.of(new Bucket(1, 16));
    assertThatThrownBy(() -> BucketSet.of(one, one)).hasMessageContaining("1x16");
    assertThatThrownBy(() -> BucketSet.of(List.of(), List.<Bucket>of()))
        .hasMessageContaining("at least one bucket");
  }

  @Test
  void aStepFallsIntoTheCellThatAnswersForItUpToItsContext() {
    BucketSet ragged =
        BucketSet.of(
            List.of(new Bucket(2, 64), new Bucket(8, 600, 2)),
            List.of(new Bucket(2, 128), new Bucket(8, 100)));
    for (int rows = 1; rows <= 8; rows++) {
      for (int positions = 1; positions <= 600; positions++) {
        Bucket cell = ragged.cell(rows, positions).orElseThrow();
        assertThat(cell.fits(rows, positions)).isTrue();
        assertThat(ragged.smallest(rows, cell.context()))
            .isEqualTo(ragged.smallest(rows, positions));
      }
    }
    assertThat(ragged.cell(1, 65)).contains(new Bucket(2, 128));
    assertThat(ragged.cell(1, 129)).contains(new Bucket(8, 600, 2));
    assertThat(ragged.cell(9, 1)).isEmpty();
    assertThat(ragged.cell(1, 601)).isEmpty();
    assertThat(ragged.contexts()).containsExactly(64, 100, 128, 600);
    assertThat(ragged).hasToString("2 rows × 64 128 (eager), 8 rows × 100 (eager) 600/2");
  }

  @Test
  void splitsBeyondTheSegmentsOfTheContextOrTwoOfOneBucketAreRefused() {
    assertThat(new Bucket(4, 257, 2)).hasToString("4x257/2").isNotEqualTo(new Bucket(4, 257));
    assertThatThrownBy(() -> new Bucket(4, 256, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Bucket 4x256 can have 1 to 1 splits, one for 256 positions at most, not 2");
    assertThatThrownBy(() -> new Bucket(4, 256, -1)).hasMessageContaining("not -1");
    List<Bucket> two = List.of(new Bucket(4, 600, 2), new Bucket(4, 600, 3));
    assertThatThrownBy(() -> BucketSet.of(two, List.of()))
        .hasMessageContaining("4x600 is listed with 2 splits and with 3");
  }

  @Test
  void badSizesAreRefusedWithTheirValue() {
    assertThatThrownBy(() -> BucketSet.of(List.of(), List.of(1)))
        .hasMessageContaining("at least one row count");
    assertThatThrownBy(() -> BucketSet.of(List.of(1, 0), List.of(1)))
        .hasMessageContaining("row count must be at least 1: 0");
    assertThatThrownBy(() -> BucketSet.of(List.of(1), List.of(-5)))
        .hasMessageContaining("context must be at least 1: -5");
    assertThatThrownBy(() -> new Bucket(0, 3)).isInstanceOf(IllegalArgumentException.class);
  }
}
