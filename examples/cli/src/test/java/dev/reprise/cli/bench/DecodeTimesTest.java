package dev.reprise.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.cli.measure.Summary;
import dev.reprise.graph.host.Completion;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecodeTimesTest {

  private static Completion.Timings request(long... millis) {
    long[] nanos = new long[millis.length];
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = millis[i] * 1_000_000;
    }
    return new Completion.Timings(0, nanos[0], nanos[nanos.length - 1], nanos, 0, 0);
  }

  @Test
  void ratesAndLatenciesAreThoseComputedByHand() {
    DecodeTimes times = new DecodeTimes();
    // 3 + 2 tokens in 50 ms; 2 tokens in 20 ms and 1 in 10 ms after the first ones.
    times.add(50_000_000, List.of(request(10, 16, 30), request(40, 50)));
    assertThat(times.outputRate().summary().median()).isCloseTo(100, within(1e-9));
    assertThat(times.decodeRate().summary().median()).isCloseTo(100 + 100, within(1e-9));
    assertThat(times.firstToken().summary().median()).isCloseTo(25_000, within(1e-9));
    Summary gaps = times.betweenTokens().summary();
    // 6, 10 and 14 ms.
    assertThat(gaps.count()).isEqualTo(3);
    assertThat(gaps.median()).isCloseTo(10_000, within(1e-9));
    assertThat(gaps.p90()).isCloseTo(13_200, within(1e-9));
    assertThat(gaps.p99()).isCloseTo(13_920, within(1e-9));
  }

  @Test
  void repetitionsAreOneRateEachAndTheirRequestsOneLatencyEach() {
    DecodeTimes times = new DecodeTimes();
    times.add(10_000_000, List.of(request(2, 4), request(6, 8)));
    times.add(20_000_000, List.of(request(2, 4), request(6, 8)));
    times.add(40_000_000, List.of(request(2, 4), request(6, 8)));
    Summary rate = times.outputRate().summary();
    assertThat(rate.count()).isEqualTo(3);
    assertThat(rate.median()).isCloseTo(200, within(1e-9));
    assertThat(rate.low()).isCloseTo(100, within(1e-9));
    assertThat(rate.high()).isCloseTo(400, within(1e-9));
    assertThat(times.firstToken().summary().count()).isEqualTo(6);
  }

  @Test
  void oneTokenHasNoTimeToTheNext() {
    DecodeTimes times = new DecodeTimes();
    times.add(5_000_000, List.of(request(5)));
    assertThat(times.hasGaps()).isFalse();
    assertThat(times.outputRate().summary().median()).isCloseTo(200, within(1e-9));
  }
}
