package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GeneratedBindingsTest {

  @Test
  void everyFunctionHasItsNameAndVersionInTheTable() {
    Set<String> functions =
        Arrays.stream(cuda_h.class.getMethods())
            .filter(m -> Modifier.isStatic(m.getModifiers()) && m.getName().startsWith("cu"))
            .map(Method::getName)
            .filter(name -> !name.contains("$"))
            .filter(name -> hasHandle(name))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(functions).hasSizeGreaterThan(400).isEqualTo(DriverSymbol.all().keySet());
  }

  private static boolean hasHandle(String name) {
    return Arrays.stream(cuda_h.class.getMethods())
        .anyMatch(m -> m.getName().equals(name + "$handle"));
  }

  @Test
  void versionsTellTheVariantsOfOneFunctionApart() {
    assertThat(DriverSymbol.all().get("cuStreamGetCaptureInfo_v2"))
        .isEqualTo(new DriverSymbol("cuStreamGetCaptureInfo_v2", "cuStreamGetCaptureInfo", 11030));
    assertThat(DriverSymbol.all().get("cuStreamGetCaptureInfo_v3"))
        .isEqualTo(new DriverSymbol("cuStreamGetCaptureInfo_v3", "cuStreamGetCaptureInfo", 12030));
  }

  @Test
  void layoutsHaveTheSizesOfTheHeader() {
    // Sizes from sizeof() in a C program built against the same header on x86-64.
    assertThat(CUlaunchConfig.sizeof()).isEqualTo(56);
    assertThat(CUDA_KERNEL_NODE_PARAMS_v2.sizeof()).isEqualTo(72);
    assertThat(cuda_h.CUDA_VERSION()).isEqualTo(13000);
    assertThat(cuda_h.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED()).isEqualTo(900);
  }
}
