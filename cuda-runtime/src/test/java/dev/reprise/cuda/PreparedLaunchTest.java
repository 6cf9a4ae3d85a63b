package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

final class PreparedLaunchTest extends GpuTest {

  private PreparedLaunch echo(DeviceBuffer out) {
    return module
        .kernel("echo")
        .prepare(
            LaunchConfig.of(1, 1),
            KernelArg.write(out),
            KernelArg.u32(0xdeadbeef),
            KernelArg.i64(Long.MIN_VALUE + 5),
            KernelArg.f32(1.5f),
            KernelArg.f64(Math.PI));
  }

  private MemorySegment echoed(DeviceBuffer out, long offset) {
    MemorySegment bytes = MemorySegment.ofArray(new long[4]);
    stream.read(out, offset, bytes);
    return bytes;
  }

  @Test
  void argumentsOfEveryTypeArrive() {
    try (DeviceBuffer out = device.allocate("out", 32)) {
      PreparedLaunch launch = echo(out);
      launch.launch(stream);
      MemorySegment bytes = echoed(out, 0);
      assertThat(bytes.get(JAVA_INT, 0)).isEqualTo(0xdeadbeef);
      assertThat(bytes.get(JAVA_LONG, 8)).isEqualTo(Long.MIN_VALUE + 5);
      assertThat(bytes.get(JAVA_FLOAT, 16)).isEqualTo(1.5f);
      assertThat(bytes.get(JAVA_DOUBLE, 24)).isEqualTo(Math.PI);
      assertThat(launch.kernel().name()).isEqualTo("echo");
      assertThat(launch.config()).isEqualTo(LaunchConfig.of(1, 1));
    }
  }

  @Test
  void changedArgumentsArriveFromTheNextLaunchOn() {
    try (DeviceBuffer out = device.allocate("out", 96);
        DeviceBuffer second = device.allocate("second", 64)) {
      PreparedLaunch launch = echo(out);
      launch.launch(stream);
      launch.setI32(1, -7);
      launch.setI64(2, 99);
      launch.setF32(3, -0.25f);
      launch.setF64(4, 1e300);
      launch.setBuffer(0, out, 64);
      launch.launch(stream);
      launch.setI32(1, 5);
      launch.setBuffer(0, second, 32);
      launch.launch(stream);

      assertThat(echoed(out, 0).get(JAVA_INT, 0)).isEqualTo(0xdeadbeef);
      MemorySegment changed = echoed(out, 64);
      assertThat(changed.get(JAVA_INT, 0)).isEqualTo(-7);
      assertThat(changed.get(JAVA_LONG, 8)).isEqualTo(99);
      assertThat(changed.get(JAVA_FLOAT, 16)).isEqualTo(-0.25f);
      assertThat(changed.get(JAVA_DOUBLE, 24)).isEqualTo(1e300);
      assertThat(echoed(second, 32).get(JAVA_INT, 0)).isEqualTo(5);
    }
  }

  @Test
  void aGraphKeepsTheArgumentsOfItsCapture() {
    DeviceBuffer out = ints("out", 0, 0);
    PreparedLaunch fill = fill(out, 1, 2);
    try (Graph graph = stream.capture(capture -> fill.launch(stream));
        GraphExec exec = graph.instantiate()) {
      fill.setI32(1, 2);
      exec.replay(stream);
      assertThat(read(out)).containsExactly(1, 1);
      fill.launch(stream);
      assertThat(read(out)).containsExactly(2, 2);
    }
    out.close();
  }

  @Test
  void refusesArgumentsThatDoNotFitTheKernel() {
    Kernel kernel = module.kernel("fill");
    LaunchConfig config = LaunchConfig.of(1, 32);
    try (DeviceBuffer out = device.allocate("out", 16)) {
      assertThatThrownBy(() -> kernel.prepare(config, KernelArg.write(out), KernelArg.i32(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Kernel fill has 3 parameters; 2 arguments were given.");
      assertThatThrownBy(() ->
              kernel.prepare(
                  config,
                  KernelArg.write(out),
                  KernelArg.i32(1),
                  KernelArg.i32(1),
                  KernelArg.i32(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Kernel fill has 3 parameters; 4 arguments were given.");
      assertThatThrownBy(() ->
              kernel.prepare(config, KernelArg.write(out), KernelArg.i64(1), KernelArg.i32(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Parameter 1 of kernel fill has 4 bytes")
          .hasMessageContaining("has 8");
    }
  }

  @Test
  void refusesChangesOfAnotherType() {
    try (DeviceBuffer out = device.allocate("out", 16)) {
      PreparedLaunch fill = fill(out, 1, 4);
      assertThatThrownBy(() -> fill.setI64(1, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> fill.setF32(1, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> fill.setI32(0, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> fill.setBuffer(1, out, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> fill.setBuffer(0, out, 16))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("'out'");
    }
  }

  @Test
  void refusesABlockLargerThanTheKernelAllows() {
    try (DeviceBuffer out = device.allocate("out", 16)) {
      assertThatThrownBy(() ->
              module
                  .kernel("increment")
                  .prepare(LaunchConfig.of(1, 2048), KernelArg.readWrite(out)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("allows blocks of 1024 threads");
    }
  }

  @Test
  void dynamicSharedMemoryIsThere() {
    int[] values = new int[256];
    int sum = 0;
    for (int i = 0; i < 256; i++) {
      values[i] = i * i;
      sum += i * i;
    }
    DeviceBuffer in = ints("in", values);
    DeviceBuffer out = ints("out", 0);
    module
        .kernel("blockSum")
        .prepare(LaunchConfig.of(1, 256, 1024), KernelArg.write(out), KernelArg.read(in))
        .launch(stream);
    assertThat(read(out)).containsExactly(sum);
    in.close();
    out.close();
  }
}
