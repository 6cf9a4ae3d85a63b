package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Has the runtime look for two uses of memory that nothing orders. */
@ExtendWith(EverythingReleased.class)
final class FindUnorderedUseTest {

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = "the check of the runtime finds it")
  void aMissingEventIsReported() {
    Queue<UnorderedAccess> found = new ConcurrentLinkedQueue<>();
    Diagnostics checked =
        Diagnostics.standard()
            .withAccessCheck(AccessCheck.REPORT)
            .withListener(
                new QuietListener() {
                  @Override
                  public void unorderedAccess(UnorderedAccess access) {
                    found.add(access);
                  }
                });
    try (Device device = Device.open(0, checked);
        Stream writer = device.createStream("writer");
        Stream reader = device.createStream("reader");
        DeviceBuffer input = device.allocate("input", 16);
        DeviceBuffer output = device.allocate("output", 16)) {
      writer.fill32(input, 0, 4, 1);
      // No event lets the reader wait for the writer.
      reader.copy(input, 0, output, 0, 16);
    }
    assertThat(found)
        .singleElement()
        .satisfies(access ->
            assertThat(access.describe())
                .startsWith("Unordered write-read of DeviceBuffer 'input' (16 bytes):")
                .contains("Stream.fill32 on stream 'writer'")
                .contains("Stream.copy on stream 'reader'")
                .contains("Record an event on stream 'writer'"));
  }
}
