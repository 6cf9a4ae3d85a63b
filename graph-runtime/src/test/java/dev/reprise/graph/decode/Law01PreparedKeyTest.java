package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.cache.GraphKey;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import dev.reprise.kernels.variant.VariantTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 1: the key of a step has the kernels with their variants, and the splits of its bucket. */
class Law01PreparedKeyTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final DecodeOptions OPTIONS =
      Toy.options().withBuckets(BucketSet.of(List.of(1, 2), List.of(32, ToyModel.CONTEXT)));

  private static GraphKey key(DecodeModel model, Bucket bucket) {
    try (StepRunner runner = StepRunner.create(TOY.device(), model, OPTIONS, 2)) {
      return runner.prepared(new StepShape(bucket, bucket.rows())).key;
    }
  }

  @Test
  void anotherVariantMakesAnotherKeyAndSaysWhere() {
    Bucket bucket = new Bucket(2, 32);
    GraphKey standard = key(TOY.model(), bucket);
    assertThat(standard.environment().kernels())
        .isEqualTo(TOY.model().kernels().digest() + "/default");
    try (ToyModel varied = new ToyModel(TOY.device())) {
      varied
          .kernels()
          .use(VariantTable.of(Map.of(new TunableShape.Gate(1, 8), new KernelVariant.Gate(1, 1))));
      assertThat(key(varied, bucket).differences(standard)).containsExactly("kernels");
    }
  }

  @Test
  void splitsAreThoseThatTheModelTakesForTheBucket() {
    assertThat(key(TOY.model(), new Bucket(2, 32)).splits()).isEqualTo(1);
    GraphKey auto = key(TOY.model(), new Bucket(2, 32));
    GraphKey one = key(TOY.model(), new Bucket(2, 32, 1));
    assertThat(one).as("the same launches").isEqualTo(auto);
  }
}
