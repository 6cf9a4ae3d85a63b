package dev.reprise.graph.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class BucketSizesTest {

  @Test
  void listsEndWithTheLargestSizeAskedFor() {
    assertThat(BucketSizes.powersOfTwo(20)).containsExactly(1, 2, 4, 8, 16, 20);
    assertThat(BucketSizes.powersOfTwo(16, 100)).containsExactly(16, 32, 64, 100);
    assertThat(BucketSizes.fixedStep(8, 20)).containsExactly(8, 16, 20);
    assertThat(BucketSizes.powersOfTwo(1)).containsExactly(1);
  }

  @Test
  void theListsOfOtherSystemsHaveTheirPublishedSizes() {
    assertThat(BucketSizes.vllm(512)).hasSize(51).startsWith(1, 2, 4, 8, 16).endsWith(496, 512);
    assertThat(BucketSizes.sglang(32)).isEqualTo(List.of(1, 2, 4, 8, 12, 16, 24, 32));
    assertThat(BucketSizes.sglang(600)).contains(256, 272, 496, 512, 544, 600).doesNotContain(528);
    assertThat(BucketSizes.tensorRtLlm(320)).contains(120, 128, 192, 256, 320).doesNotContain(136);
  }

  @Test
  void sizesBelowOneAreRefused() {
    assertThatThrownBy(() -> BucketSizes.fixedStep(0, 5)).hasMessageContaining("step");
    assertThatThrownBy(() -> BucketSizes.vllm(0)).hasMessageContaining("largest size");
  }
}
