package dev.reprise.graph.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BucketPolicyTest {

  private static List<Integer> rows(BucketSet set) {
    return set.largestFirst().reversed().stream().map(Bucket::rows).distinct().toList();
  }

  @Test
  void everyKindGivesItsRowsWithTheLongestContextOfTheModel() {
    assertThat(BucketPolicy.parse("pow2:12").buckets(512))
        .hasToString("1 rows × 512, 2 rows × 512, 4 rows × 512, 8 rows × 512, 12 rows × 512");
    assertThat(rows(BucketPolicy.parse("step:8:20").buckets(512))).containsExactly(8, 16, 20);
    assertThat(rows(BucketPolicy.parse("vllm:24").buckets(512)))
        .containsExactly(1, 2, 4, 8, 16, 24);
    assertThat(rows(BucketPolicy.parse("sglang:24").buckets(512)))
        .containsExactly(1, 2, 4, 8, 12, 16, 24);
    assertThat(rows(BucketPolicy.parse("tensorrt-llm:256").buckets(512)))
        .endsWith(120, 128, 192, 256);
  }

  @Test
  void contextsFollowAnX() {
    assertThat(BucketPolicy.parse("list:1,2,4x128,512").buckets(2048))
        .hasToString("1 rows × 128 512, 2 rows × 128 512, 4 rows × 128 512");
    assertThat(BucketPolicy.parse("pow2:2x64").buckets(64)).hasToString("1 rows × 64, 2 rows × 64");
  }

  @Test
  void theTextReadsBack() {
    for (BucketPolicy policy :
        List.of(
            BucketPolicy.list(List.of(1, 8), List.of(64)),
            BucketPolicy.list(List.of(3), List.of()),
            BucketPolicy.powersOfTwo(16),
            BucketPolicy.fixedStep(4, 32))) {
      assertThat(BucketPolicy.parse(policy.toString()).buckets(4096))
          .hasToString(policy.buckets(4096).toString());
    }
    assertThat(BucketPolicy.file(Path.of("a.json"))).hasToString("file:a.json");
  }

  @Test
  void aFileGivesItsBuckets(@TempDir Path folder) {
    Path file = folder.resolve("b.json");
    BucketSet set = BucketSet.of(List.of(new Bucket(4, 64)), List.of(new Bucket(8, 128)));
    new BucketFile(set, Optional.empty()).write(file);
    assertThat(BucketPolicy.parse("file:" + file).buckets(128)).hasToString(set.toString());
    assertThatThrownBy(() -> BucketPolicy.parse("file:" + file).buckets(127))
        .hasMessageContaining("file:" + file + " has a bucket of 128 positions")
        .hasMessageContaining("the model has 127");
    assertThat(Files.exists(file)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pow2 | \"pow2\" is no choice of buckets; try pow2:64",
        "pow3:8 | \"pow3\" in \"pow3:8\" is no kind of buckets; try pow2:64",
        "pow2:0 | \"0\" in \"pow2:0\" is not a whole number from 1 to 65536; try",
        "pow2:-1 | \"-1\" in \"pow2:-1\" is not a whole number",
        "pow2: | \"\" in \"pow2:\" is not a whole number",
        "pow2:99999999 | \"99999999\" in \"pow2:99999999\" is not a whole number from 1 to 65536",
        "step:8 | \"step:8\" needs a step and the most rows, as in step:8:64",
        "step:8:y | \"y\" in \"step:8:y\" is not a whole number",
        "list:1,,2 | \"\" in \"list:1,,2\" is not a whole number",
        "list:1x | \"\" in \"list:1x\" is not a whole number from 1 to 2147483647",
        "list:1x2x3 | \"2x3\" in \"list:1x2x3\" is not a whole number",
        "file: | file: needs a path, as in file:buckets.json",
      })
  void aTextThatSaysNoPolicyIsRefusedWithWhatWouldDo(String text, String message) {
    assertThatThrownBy(() -> BucketPolicy.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
