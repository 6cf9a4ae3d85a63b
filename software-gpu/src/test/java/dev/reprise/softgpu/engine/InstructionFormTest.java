package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.ptx.PtxException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every form of instruction that compilers were seen to emit is decoded. */
final class InstructionFormTest {
  @Test
  void decodesWhatCompilersEmit() {
    decodesAll("instruction-forms.txt", 500);
  }

  /** Forms that no compiler was seen to emit; ptxas of CUDA 13.0 takes them. */
  @Test
  void decodesWhatTheManualDefines() {
    decodesAll("instruction-forms-isa.txt", 2800);
  }

  private static void decodesAll(String resource, int atLeast) {
    List<String> refused = new ArrayList<>();
    List<String> forms = Device.resource(resource).lines().toList();
    try (Device device = new Device(1)) {
      for (String form : forms) {
        try {
          device.load(FormSamples.module(form)).unload();
        } catch (PtxException e) {
          refused.add(form + ": " + e.getMessage());
        }
      }
    }
    assertThat(forms).hasSizeGreaterThan(atLeast);
    assertThat(refused).isEmpty();
  }
}
