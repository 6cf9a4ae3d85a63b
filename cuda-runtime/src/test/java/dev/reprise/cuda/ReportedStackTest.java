package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import org.junit.jupiter.api.Test;

/** The stacks in a report lead through the program, not through the runtime. */
final class ReportedStackTest extends GpuTest {

  @Override
  Diagnostics diagnostics() {
    return super.diagnostics().withAccessCheck(AccessCheck.REPORT);
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = "the check of the runtime finds it")
  void ofTheRuntimeOnlyWhatTheProgramCalledIsShown() {
    try (Stream other = device.createStream("other");
        DeviceBuffer buffer = device.allocate("buffer", 64);
        Graph graph = other.capture("step", capture -> other.fill32(buffer, 0, 16, 1));
        GraphExec exec = graph.instantiate()) {
      stream.fill32(buffer, 0, 16, 2);
      exec.replay(other);
      other.synchronize();
      String report = listener.unordered.getFirst().describe();
      assertThat(report)
          .containsSubsequence(
              "first: Stream.fill32",
              "at dev.reprise.cuda.Stream.fill32(",
              "at dev.reprise.cuda.ReportedStackTest.",
              "second: Stream.fill32",
              "at dev.reprise.cuda.GraphExec.replay(",
              "at dev.reprise.cuda.ReportedStackTest.",
              "which was added here",
              "at dev.reprise.cuda.Stream.fill32(",
              "at dev.reprise.cuda.ReportedStackTest.lambda",
              "at dev.reprise.cuda.Stream.capture(",
              "at dev.reprise.cuda.ReportedStackTest.");
      assertThat(report).doesNotContain("cuda.Capture.", "cuda.StreamMemory.", "access.");
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = "the check of the runtime finds it")
  void aCopyBetweenDevicesIsShownFromItsCallOn() {
    try (Stream other = device.createStream("other");
        DeviceBuffer a = device.allocate("a", 64);
        DeviceBuffer b = device.allocate("b", 64)) {
      stream.copyPeer(a, 0, b, 0, 64);
      other.fill32(b, 0, 16, 2);
      other.synchronize();
      stream.synchronize();
      assertThat(listener.unordered.getFirst().describe())
          .contains("at dev.reprise.cuda.Stream.copyPeer(")
          .doesNotContain("StreamPeers");
    }
  }
}
