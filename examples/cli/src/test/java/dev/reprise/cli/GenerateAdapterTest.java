package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.autotune.AutotuneOptions;
import dev.reprise.llama.LlamaConfig;
import dev.reprise.llama.LlamaModel;
import dev.reprise.llama.gguf.GgufFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code generate} with an adapter and with penalties, on the embedded model. */
class GenerateAdapterTest {

  private static final int ONE_TOO_MANY = 1;

  /** Some shapes, not all of them. */
  private static final AutotuneOptions TUNING =
      AutotuneOptions.standard().withRounds(1).withBudget(Duration.ofSeconds(3));

  @TempDir Path folder;

  private static LlamaConfig config() {
    try (GgufFile file = GgufFile.openResource(LlamaModel.class, LlamaModel.EMBEDDED)) {
      return LlamaConfig.from(file);
    }
  }

  /** An adapter of rank 1 for the attention output of layer 0, with weights of some size. */
  private Path adapter(int in, int out, float size) throws IOException {
    Random random = new Random(1);
    ByteBuffer data = ByteBuffer.allocate((in + out) * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < in + out; i++) {
      data.putFloat(size * (float) random.nextGaussian());
    }
    String name = "base_model.model.model.layers.0.self_attn.o_proj.lora_";
    byte[] header =
        """
        {"%sA.weight":{"dtype":"F32","shape":[1,%d],"data_offsets":[0,%d]},
         "%sB.weight":{"dtype":"F32","shape":[%d,1],"data_offsets":[%d,%d]}}\
        """
            .formatted(name, in, 4 * in, name, out, 4 * in, 4 * (in + out))
            .getBytes(StandardCharsets.UTF_8);
    ByteBuffer file =
        ByteBuffer.allocate(Long.BYTES + header.length + data.capacity())
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(header.length)
            .put(header)
            .put(data.flip());
    Files.writeString(folder.resolve("adapter_config.json"), "{\"lora_alpha\": 4, \"r\": 1}");
    return Files.write(folder.resolve("adapter_model.safetensors"), file.array());
  }

  private static CommandRun generate(String... more) {
    String[] args = new String[4 + more.length];
    args[0] = "generate";
    args[1] = "--max-tokens";
    args[2] = "12";
    args[3] = "--json";
    System.arraycopy(more, 0, args, 4, more.length);
    return CommandRun.of(new DecodeStoryEngine(TUNING), args);
  }

  private static String text(CommandRun run) {
    assertThat(run.code()).as(run.err()).isZero();
    return tools.jackson.databind.json.JsonMapper.shared()
        .readTree(run.out())
        .get("text")
        .asString();
  }

  @Test
  void anAdapterChangesTheTextAndOneOfZerosDoesNot() throws IOException {
    LlamaConfig config = config();
    String without = text(generate());
    Path zeros = adapter(config.queryWidth(), config.width(), 0);
    assertThat(text(generate("--adapter", zeros.toString()))).isEqualTo(without);
    Path strong = adapter(config.queryWidth(), config.width(), 2);
    assertThat(text(generate("--adapter", strong.toString()))).isNotEqualTo(without);
  }

  @Test
  void anAdapterForAnotherModelGivesOneClearError() throws IOException {
    LlamaConfig config = config();
    Path other = adapter(config.queryWidth() + ONE_TOO_MANY, config.width(), 1);
    CommandRun run = generate("--adapter", other.toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("reprise generate: " + other + ": for blk.0.attn_output it goes from")
        .contains("it is for another model")
        .doesNotContain("\tat ");
  }

  /** Choices that are kept cost nothing the second time; none changes the text. */
  @Test
  void chosenKernelVariantsChangeNoTokenAndAreKept() {
    String[] options = {
      "--buckets", "list:1x32", "--kernels", folder.resolve("variants").toString()
    };
    CommandRun first = generate(options);
    assertThat(text(first)).isEqualTo(text(generate()));
    assertThat(variants(first, "measured")).isPositive();
    CommandRun second = generate(options);
    assertThat(text(second)).isEqualTo(text(first));
    assertThat(variants(second, "kept")).isEqualTo(variants(first, "measured"));
    assertThat(variants(second, "shapes")).isEqualTo(variants(first, "shapes"));
  }

  private static int variants(CommandRun run, String field) {
    return tools.jackson.databind.json.JsonMapper.shared()
        .readTree(run.out())
        .at("/kernel_variants/" + field)
        .asInt();
  }

  @Test
  void penaltiesChangeTheText() {
    String without = text(generate());
    assertThat(text(generate("--repetition-penalty", "5"))).isNotEqualTo(without);
    assertThat(text(generate("--frequency-penalty=-50"))).isNotEqualTo(without);
    assertThat(text(generate("--presence-penalty", "0"))).isEqualTo(without);
  }
}
