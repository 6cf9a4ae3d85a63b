package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NvidiaSignsTest {

  @TempDir private Path root;

  private void touch(String path) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.createFile(file);
  }

  private NvidiaSigns signs(Map<String, String> environment) {
    return NvidiaSigns.collect(true, root, environment);
  }

  @Test
  void anEmptyMachineHasNoKernelModule() {
    NvidiaSigns signs = signs(Map.of());
    assertThat(signs).isEqualTo(Facts.NO_SIGNS);
    assertThat(signs.hasDevice()).isFalse();
    assertThat(signs.whyNoDevice()).hasValue("NVIDIA's kernel module is not loaded");
  }

  @Test
  void theNodeThatTheLibraryItselfMakesIsNoDevice() throws IOException {
    touch("dev/nvidiactl");
    touch("dev/nvidia-uvm");
    assertThat(signs(Map.of()).deviceNodes()).isEmpty();
  }

  @Test
  void aModuleAndANodeAreADevice() throws IOException {
    touch("proc/driver/nvidia/version");
    touch("dev/nvidia1");
    touch("dev/nvidia0");
    NvidiaSigns signs = signs(Map.of());
    assertThat(signs.deviceNodes()).isEqualTo(List.of("/dev/nvidia0", "/dev/nvidia1"));
    assertThat(signs.hasDevice()).isTrue();
    assertThat(signs.whyNoDevice()).isEmpty();
  }

  @Test
  void aContainerWithoutANodeWasGivenNoDevice() throws IOException {
    touch("proc/driver/nvidia/version");
    touch("dev/null");
    assertThat(signs(Map.of()).whyNoDevice())
        .hasValue("the kernel module is loaded, but there is no /dev/nvidia0");
    touch(".dockerenv");
    assertThat(signs(Map.of()).whyNoDevice())
        .hasValue("the kernel module is loaded, but this container was given no device");
  }

  @Test
  void underWindowsNodesSayNothing() throws IOException {
    touch("dev/dxg");
    assertThat(signs(Map.of()).hasDevice()).isTrue();
    assertThat(signs(Map.of()).whyNoDevice()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "-1", "none", "-1,0"})
  void aListThatBeginsWithNoDeviceHidesAll(String visible) {
    assertThat(signs(Map.of("CUDA_VISIBLE_DEVICES", visible)).whyNoDevice())
        .hasValue("CUDA_VISIBLE_DEVICES=\"" + visible + "\" hides them all");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1,0", "GPU-8932f937", "MIG-GPU-1/1/0", "0,-1"})
  void aListThatBeginsWithADeviceDoesNot(String visible) {
    assertThat(signs(Map.of("CUDA_VISIBLE_DEVICES", visible)).hidesAll()).isFalse();
  }
}
