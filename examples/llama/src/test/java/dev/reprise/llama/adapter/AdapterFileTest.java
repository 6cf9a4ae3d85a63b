package dev.reprise.llama.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.adapter.LowRankWeights;
import dev.reprise.llama.adapter.AdapterFiles.Values;
import dev.reprise.llama.gguf.GgufValueType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Adapters from files: what they add, and what becomes of files that are none. */
@SuppressWarnings("NullAway.Init")
class AdapterFileTest {

  @TempDir Path folder;

  private AdapterWeights read(Path file) {
    return AdapterFile.read(file, AdapterFiles.MODEL);
  }

  private AdapterWeights gguf(byte[] bytes) throws IOException {
    return read(Files.write(folder.resolve("adapter.gguf"), bytes));
  }

  private AdapterWeights peft(byte[] bytes) throws IOException {
    return read(AdapterFiles.peftFile(folder, bytes, AdapterFiles.config()));
  }

  /** What one pair of a file adds to an output. */
  private static double added(Values[] pair, int row, float[] x) {
    Values a = pair[0];
    Values b = pair[1];
    double sum = 0;
    for (int r = 0; r < a.rows(); r++) {
      double inner = 0;
      for (int i = 0; i < a.columns(); i++) {
        inner += (double) a.values()[r * a.columns() + i] * x[i];
      }
      sum += b.values()[row * b.columns() + r] * inner;
    }
    return AdapterFiles.ALPHA / a.rows() * sum;
  }

  private static double added(LowRankWeights low, int row, float[] x) {
    double sum = 0;
    for (int r = 0; r < low.rank(); r++) {
      double inner = 0;
      for (int i = 0; i < x.length; i++) {
        inner += (double) low.a()[r * x.length + i] * x[i];
      }
      sum += low.b()[row * low.rank() + r] * inner;
    }
    return low.scale() * sum;
  }

  private static void checkPart(
      AdapterWeights weights, String product, int firstRow, Values[] pair, int in) {
    LowRankWeights low = Objects.requireNonNull(weights.projections().get(product));
    float[] x = new float[in];
    Random random = new Random(5);
    for (int i = 0; i < in; i++) {
      x[i] = (float) random.nextGaussian();
    }
    for (int row = 0; row < pair[1].rows(); row++) {
      assertThat(added(low, firstRow + row, x))
          .as("row %d of %s", row, product)
          .isCloseTo(added(pair, row, x), within(1e-3));
    }
  }

  private static void checkAll(AdapterWeights weights, Map<String, Values[]> pairs) {
    pairs.forEach((target, pair) -> {
      String layer = target.substring(0, 6);
      String part = target.substring(6);
      switch (part) {
        case "attn_q" -> checkPart(weights, layer + "attn_qkv", 0, pair, 24);
        case "attn_k" -> checkPart(weights, layer + "attn_qkv", 32, pair, 24);
        case "attn_v" -> checkPart(weights, layer + "attn_qkv", 48, pair, 24);
        case "ffn_gate" -> checkPart(weights, layer + "ffn_gate_up", 0, pair, 24);
        case "ffn_up" -> checkPart(weights, layer + "ffn_gate_up", 20, pair, 24);
        case "attn_output" -> checkPart(weights, target, 0, pair, 32);
        default -> checkPart(weights, target, 0, pair, 20);
      }
    });
  }

  @Test
  void whatAGgufFileAddsToEachMatrixIsAddedToTheProductItIsIn() throws IOException {
    Map<String, Values[]> pairs = AdapterFiles.pairs(1);
    AdapterWeights weights = gguf(AdapterFiles.gguf(pairs));
    checkAll(weights, pairs);
    assertThat(weights.projections())
        .containsOnlyKeys(
            "blk.0.attn_qkv",
            "blk.1.attn_qkv",
            "blk.1.attn_output",
            "blk.0.ffn_gate_up",
            "blk.1.ffn_gate_up",
            "blk.0.ffn_down");
    assertThat(AdapterFile.rank(weights)).isEqualTo(5);
  }

  /** Nothing is added where the file has nothing: the keys of layer 1. */
  @Test
  void matricesThatTheFileLeavesOutStayAsTheyAre() throws IOException {
    AdapterWeights weights = gguf(AdapterFiles.gguf(AdapterFiles.pairs(1)));
    LowRankWeights low = Objects.requireNonNull(weights.projections().get("blk.1.attn_qkv"));
    float[] x = new float[24];
    Arrays.fill(x, 1);
    for (int row = 0; row < 48; row++) {
      assertThat(added(low, row, x)).isZero();
    }
  }

  @Test
  void theSameAdapterFromSafetensorsIsTheSame() throws IOException {
    Map<String, Values[]> pairs = AdapterFiles.pairs(2);
    AdapterWeights expected = gguf(AdapterFiles.gguf(pairs));
    AdapterWeights found = peft(AdapterFiles.safetensors(pairs));
    assertThat(found.projections().keySet()).isEqualTo(expected.projections().keySet());
    found
        .projections()
        .forEach((name, low) -> {
          LowRankWeights other = Objects.requireNonNull(expected.projections().get(name));
          assertThat(low.a()).as(name).isEqualTo(other.a());
          assertThat(low.b()).as(name).isEqualTo(other.b());
        });
  }

  @Test
  void halfPrecisionIsRead() throws IOException {
    ByteBuffer data = ByteBuffer.allocate(24 * 2 + 32 * 2).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 24; i++) {
      data.putShort(Float.floatToFloat16(0.5f));
    }
    for (int i = 0; i < 32; i++) {
      data.putShort((short) (Float.floatToIntBits(-2f) >>> 16));
    }
    String name = "model.layers.0.self_attn.q_proj";
    String header =
        """
        {"%s.lora_A.weight":{"dtype":"F16","shape":[1,24],"data_offsets":[0,48]},
         "%s.lora_B.weight":{"dtype":"BF16","shape":[32,1],"data_offsets":[48,112]}}\
        """
            .formatted(name, name);
    AdapterWeights weights = peft(AdapterFiles.safetensors(header, data.flip()));
    LowRankWeights low = Objects.requireNonNull(weights.projections().get("blk.0.attn_qkv"));
    assertThat(low.a()).containsOnly(0.5f);
    assertThat(Arrays.copyOf(low.b(), 32)).containsOnly(-2f * AdapterFiles.ALPHA);
  }

  @Test
  void aFileForAnotherModelIsRefusedNamingTheMatrix() {
    Map<String, Values[]> wide = AdapterFiles.pairs(1);
    wide.put(
        "blk.1.attn_q",
        new Values[] {new Values(1, 25, new float[25]), new Values(32, 1, new float[32])});
    assertThatThrownBy(() -> gguf(AdapterFiles.gguf(wide)))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("for blk.1.attn_q it goes from 25 to 32 elements")
        .hasMessageContaining("the model from 24 to 32; it is for another model");
    Map<String, Values[]> deep = AdapterFiles.pairs(1);
    deep.put("blk.2.attn_q", Objects.requireNonNull(deep.get("blk.0.attn_q")));
    assertThatThrownBy(() -> gguf(AdapterFiles.gguf(deep)))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("it adapts \"blk.2.attn_q\", which this model of 2 layers has not");
  }

  @Test
  void halfAPairAndRanksThatDisagreeAreRefused() {
    Map<String, Values[]> pairs = AdapterFiles.pairs(1);
    Values[] pair = Objects.requireNonNull(pairs.get("blk.0.attn_q"));
    pairs.put("blk.0.attn_q", new Values[] {pair[0], new Values(48, 2, new float[96])});
    assertThatThrownBy(() -> gguf(AdapterFiles.gguf(pairs)))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("for blk.0.attn_q A is 3 x 24 and B 48 x 2");
    var file = AdapterFiles.ggufHead();
    file.key("adapter.lora.alpha", GgufValueType.FLOAT32).f32(1);
    AdapterFiles.tensor(file, "blk.0.attn_q.weight.lora_a", pair[0]);
    assertThatThrownBy(() -> gguf(file.toArray()))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("of blk.0.attn_q it has only one of the two matrices");
  }

  @Test
  void whatIsNoNumberIsRefused() {
    Map<String, Values[]> pairs = AdapterFiles.pairs(1);
    Objects.requireNonNull(pairs.get("blk.0.attn_q"))[1].values()[7] = Float.NaN;
    assertThatThrownBy(() -> gguf(AdapterFiles.gguf(pairs)))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("blk.0.attn_q")
        .hasMessageContaining("NaN");
  }

  @Test
  void filesOfOtherKindsAreRefusedSayingWhatTheyAre() throws IOException {
    assertThatThrownBy(() -> gguf(AdapterFiles.ggufHead().toArray()))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("adapter.lora.alpha");
    assertThatThrownBy(() -> read(folder.resolve("none.gguf")))
        .hasMessageEndingWith("none.gguf: there is no such file");
    Path text = Files.writeString(folder.resolve("a.safetensors"), "no adapter at all, a text");
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("adapter_config.json");
    assertThatThrownBy(() -> peft("no adapter at all, a text".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("it says that its header has");
  }

  @Test
  void configurationsThatAreNotComputedAreRefused() throws IOException {
    byte[] file = AdapterFiles.safetensors(AdapterFiles.pairs(1));
    Path dora =
        AdapterFiles.peftFile(folder, file, "{\"lora_alpha\": 4, \"r\": 2, \"use_dora\": true}");
    assertThatThrownBy(() -> read(dora))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("use_dora is not supported");
    Path without = AdapterFiles.peftFile(folder, file, "{\"r\": 2}");
    assertThatThrownBy(() -> read(without))
        .isInstanceOf(AdapterFileException.class)
        .hasMessageContaining("the field \"lora_alpha\" is missing");
  }

  @Test
  void aSafetensorsFileThatIsCutAnywhereIsRefused() throws IOException {
    byte[] file = AdapterFiles.safetensors(AdapterFiles.pairs(3));
    for (int length = 0; length < file.length; length += length < 2000 ? 7 : 97) {
      byte[] cut = Arrays.copyOf(file, length);
      assertThatThrownBy(() -> peft(cut))
          .as("the first %d bytes", length)
          .isInstanceOf(AdapterFileException.class);
    }
  }

  @Test
  void aGgufFileThatIsCutAnywhereIsRefused() throws IOException {
    byte[] file = AdapterFiles.gguf(AdapterFiles.pairs(3));
    for (int length = 0; length < file.length; length += length < 2000 ? 7 : 97) {
      byte[] cut = Arrays.copyOf(file, length);
      assertThatThrownBy(() -> gguf(cut))
          .as("the first %d bytes", length)
          .isInstanceOf(AdapterFileException.class);
    }
  }

  @Test
  void damagedBytesGiveAnAdapterOrOneClearError() throws IOException {
    long seed = Long.getLong("reprise.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    byte[] gguf = AdapterFiles.gguf(AdapterFiles.pairs(3));
    byte[] peft = AdapterFiles.safetensors(AdapterFiles.pairs(3));
    for (int round = 0; round < 400; round++) {
      boolean first = round % 2 == 0;
      byte[] damaged = (first ? gguf : peft).clone();
      int head = Math.min(damaged.length, 2500);
      for (int i = 0; i <= random.nextInt(3); i++) {
        damaged[random.nextInt(head)] = (byte) random.nextInt(256);
      }
      try {
        AdapterWeights weights = first ? gguf(damaged) : peft(damaged);
        assertThat(weights.projections()).as("seed %d, round %d", seed, round).isNotEmpty();
      } catch (AdapterFileException e) {
        assertThat(e).as("seed %d, round %d", seed, round).hasMessageContaining("adapter");
      }
    }
  }

  @Test
  void tensorsThatOverlapOrLeaveAGapAreRefused() {
    String header =
        """
        {"model.layers.0.self_attn.q_proj.lora_A.weight":{"dtype":"F32","shape":[1,24],"data_offsets":[0,96]},
         "model.layers.0.self_attn.q_proj.lora_B.weight":{"dtype":"F32","shape":[32,1],"data_offsets":[%d,%d]}}\
        """;
    for (int shift : new int[] {-4, 4}) {
      int from = 96 + shift;
      String text = header.formatted(from, from + 128);
      ByteBuffer data = ByteBuffer.allocate(Math.max(224, from + 128));
      assertThatThrownBy(() -> peft(AdapterFiles.safetensors(text, data)))
          .isInstanceOf(AdapterFileException.class)
          .hasMessageContaining("begins at byte %d of the data, where 96 is next".formatted(from));
    }
  }
}
