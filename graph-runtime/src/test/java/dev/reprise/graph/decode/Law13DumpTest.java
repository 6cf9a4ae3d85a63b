package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.graph.toy.WrappedModel;
import dev.reprise.kernels.Span;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 13: the nodes of a captured step are dumped with names in the place of addresses. */
class Law13DumpTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final StepShape SHAPE = new StepShape(new Bucket(2, ToyModel.CONTEXT), 2);

  private static NodeDump dump(WrappedModel.Around around) {
    EngineOptions options = Toy.serving(20).withInFlight(1);
    try (DecodeEngine engine =
        DecodeEngine.create(TOY.device(), new WrappedModel(TOY.model(), around), options)) {
      assertThat(engine.dump(SHAPE, 0)).isEmpty();
      assertThat(engine.warmUp(SHAPE.bucket())).isTrue();
      return engine.dump(SHAPE, 0).orElseThrow();
    }
  }

  @Test
  void memoryIsNamedAndNoAddressIsTold() {
    NodeDump dump = dump((step, buffers, shape) -> step);
    assertThat(dump.lines())
        .anySatisfy(line ->
            assertThat(line)
                .contains("paged_attention")
                .contains("keys=<keys of layer 0>")
                .contains("values=<values of layer 0>")
                .contains("blockTables=<inputs block tables>")
                .contains("out:=<workspace attended>"))
        .anySatisfy(
            line -> assertThat(line).contains("copy of").contains("from <sampled of slot 0>"))
        .noneSatisfy(line -> assertThat(line).containsPattern("0x[0-9a-f]{6,}"));
  }

  @Test
  void numbersOfKernelsAreToldByName() {
    NodeDump dump = dump((step, buffers, shape) -> step);
    assertThat(dump.lines())
        .anySatisfy(line -> assertThat(line).contains("rms_norm ", " n=32 eps=1.0E-5"))
        .anySatisfy(line -> assertThat(line).contains("paged_attention", " scale=0.2"));
  }

  /** The planted difference is in a number alone: geometry and memory are the same. */
  @Test
  void aStepWithAnotherNumberDiffersInThatLine() {
    NodeDump good = dump((step, buffers, shape) -> filled(step, buffers, shape, 8));
    NodeDump other = dump((step, buffers, shape) -> filled(step, buffers, shape, 7));
    assertThat(good.differences(other))
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("- ").contains("rms_norm ", " n=8 "),
            line -> assertThat(line).startsWith("+ ").contains("rms_norm ", " n=7 "));
  }

  private static Step filled(Step step, StepBuffers buffers, StepShape shape, int width) {
    Span hidden = buffers.workspace().span("hidden");
    Span normed = buffers.workspace().span("normed");
    PreparedLaunch more =
        TOY.model().kernels().norms().rms(hidden, hidden, normed, shape.logitRows(), width, 1e-5f);
    return stream -> {
      step.enqueue(stream);
      stream.launch(more);
    };
  }

  @Test
  void theSameStepElsewhereInMemoryGivesTheSameLines() {
    NodeDump first = dump((step, buffers, shape) -> step);
    try (DeviceBuffer between = TOY.device().allocate("between", 1 << 20)) {
      NodeDump second = dump((step, buffers, shape) -> step);
      assertThat(first.differences(second)).as("with %s", between).isEmpty();
      assertThat(second).isEqualTo(first);
    }
  }

  @Test
  void aStepThatUsesOtherMemoryDiffersInThatLine() {
    NodeDump good = dump((step, buffers, shape) -> step);
    NodeDump other =
        dump((step, buffers, shape) ->
            stream -> {
              step.enqueue(stream);
              Span attended = buffers.workspace().span("attended");
              stream.fill32(attended.buffer(), attended.offset() + 8, 3, 7);
            });
    List<String> differences = good.differences(other);
    assertThat(differences).isNotEmpty();
    assertThat(differences.get(1))
        .contains("fill of 3 x 4 bytes with 0x7 to <workspace attended+0x8>");
  }
}
