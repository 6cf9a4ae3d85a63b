package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What holds up calls in a simulation. */
@ExtendWith(Simulated.class)
final class SimulatedHoldTest extends DriverTest {

  /** Less than a call is held up for work that goes on. */
  private static final Duration MOST = Duration.ofSeconds(20);

  @Test
  void aCallReturnsWhileAnotherThreadWaitsForWhatOnlyTheProgramLetsGo() throws Exception {
    MemorySegment stream = stream();
    Gate gate = hold(stream);
    CompletableFuture<Integer> waiting = new CompletableFuture<>();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              ok(cuda_h.cuCtxSetCurrent(context()));
              waiting.complete(cuda_h.cuStreamSynchronize(stream));
            });
    while (other.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    int answer =
        Assertions.assertTimeout(MOST, () -> cuda_h.cuStreamQuery(stream), "the call was held up");
    assertThat(answer).isEqualTo(Result.NOT_READY.code());
    gate.open();
    assertThat(waiting.get(1, TimeUnit.MINUTES)).isZero();
  }
}
