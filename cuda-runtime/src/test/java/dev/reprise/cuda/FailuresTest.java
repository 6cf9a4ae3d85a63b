package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import org.junit.jupiter.api.Test;

final class FailuresTest {

  @Test
  void anExceptionSaysWhatFailedWithWhichValues() {
    CudaException e =
        Failures.of(
            cuda_h.CUDA_ERROR_INVALID_VALUE(), "cuMemAlloc_v2", "label", "kv", "bytes", 12L);
    assertThat(e.code()).isEqualTo(1);
    assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_VALUE");
    assertThat(e.function()).isEqualTo("cuMemAlloc_v2");
    assertThat(e.arguments()).isEqualTo("label=kv, bytes=12");
    assertThat(e.contextPoisoned()).isFalse();
    assertThat(e)
        .hasMessageStartingWith(
            "cuMemAlloc_v2(label=kv, bytes=12) failed with CUDA_ERROR_INVALID_VALUE (1): ");
  }

  @Test
  void aCodeThatTheDriverDoesNotKnowIsStillReported() {
    CudaException e = Failures.of(123456, "cuInit");
    assertThat(e.code()).isEqualTo(123456);
    assertThat(e.name()).isEqualTo("CUresult 123456");
  }

  @Test
  void stickyErrorsPoisonTheContext() {
    CudaException sticky = Failures.of(cuda_h.CUDA_ERROR_ILLEGAL_ADDRESS(), "cuStreamSynchronize");
    assertThat(sticky.contextPoisoned()).isTrue();
    assertThat(sticky).hasMessageContaining("The context is poisoned");
    CudaException plain = Failures.of(cuda_h.CUDA_ERROR_OUT_OF_MEMORY(), "cuMemAlloc_v2");
    assertThat(plain.contextPoisoned()).isFalse();
  }
}
