package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import org.junit.jupiter.api.Test;

final class EventTest extends GpuTest {

  @Test
  void orderTwoStreams() {
    DeviceBuffer source = ints("source", 0);
    DeviceBuffer target = ints("target", 0);
    try (Stream consumer = device.createStream("consumer");
        Event written = device.createEvent("written");
        Gate gate = new Gate(stream)) {
      stream.fill32(source, 0, 1, 12);
      stream.record(written);
      consumer.waitFor(written);
      consumer.copy(source, 0, target, 0, 4);
      assertThat(written.isComplete()).isFalse();
      assertThat(consumer.isComplete()).isFalse();
      gate.letGo();
      written.synchronize();
      assertThat(written.isComplete()).isTrue();
      consumer.synchronize();
      assertThat(consumer.isComplete()).isTrue();
      assertThat(read(target)).containsExactly(12);
    }
    source.close();
    target.close();
  }

  @Test
  void anEventThatWasNeverRecordedIsComplete() {
    try (Event event = device.createEvent()) {
      assertThat(event.isComplete()).isTrue();
      event.synchronize();
      stream.waitFor(event);
      stream.synchronize();
    }
  }

  @Test
  void timingEventsTellTheTimeBetweenThem() {
    try (Event start = device.createTimingEvent("start");
        Event end = device.createTimingEvent("end")) {
      stream.record(start);
      DeviceBuffer buffer = ints("buffer", 0);
      increment(buffer).launch(stream);
      stream.record(end);
      end.synchronize();
      assertThat(end.elapsedMillis(start)).isNotNegative().isFinite();
      assertThat(start.elapsedMillis(end)).isNotPositive();
      buffer.close();
    }
  }

  @Test
  void eventsWithoutTimingTellNone() {
    try (Event start = device.createTimingEvent("start");
        Event end = device.createEvent("end")) {
      stream.record(start);
      stream.record(end);
      assertThatThrownBy(() -> end.elapsedMillis(start))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Event 'end' has no timing");
    }
  }

  @Test
  void anEventMayBeClosedWhileAStreamWaitsForIt() {
    DeviceBuffer target = ints("target", 0);
    try (Stream side = device.createStream("side");
        Gate gate = new Gate(stream)) {
      Event event = device.createEvent("short-lived");
      stream.record(event);
      side.waitFor(event);
      event.close();
      side.fill32(target, 0, 1, 3);
      gate.letGo();
      side.synchronize();
      assertThat(read(target)).containsExactly(3);
    }
    target.close();
  }

  @Test
  void theKindOfAnEventReachesTheDriver() {
    assertThat(EventCalls.flags(EventOptions.STANDARD)).isEqualTo(cuda_h.CU_EVENT_DISABLE_TIMING());
    assertThat(EventCalls.flags(EventOptions.STANDARD.withTiming()))
        .isEqualTo(cuda_h.CU_EVENT_DEFAULT());
    EventOptions blocking = EventOptions.STANDARD.withTiming().withBlockingWait();
    assertThat(EventCalls.flags(blocking)).isEqualTo(cuda_h.CU_EVENT_BLOCKING_SYNC());
    try (Event event = device.createEvent("blocking", blocking)) {
      assertThat(event.options()).isEqualTo(new EventOptions(true, true));
      stream.record(event);
      event.synchronize();
      assertThat(event.elapsedMillis(event)).isZero();
    }
  }
}
