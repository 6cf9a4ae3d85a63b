package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.Diagnostics;

/** A process of its own: it breaks its context for good, and says what it saw. */
final class PoisonedContext {

  private PoisonedContext() {}

  @SuppressWarnings("SystemOut") // read by the test that started the process
  static void main() {
    RecordingListener listener = new RecordingListener();
    Device device = Device.open(0, Diagnostics.standard().withListener(listener));
    CudaModule module = device.loadModule("kernels", GpuTest.ptx());
    Stream stream = device.createStream("main");
    DeviceBuffer buffer = device.allocate("buffer", 16);
    module.kernel("strayWrite").prepare(LaunchConfig.of(1, 1), KernelArg.i64(0x10)).launch(stream);
    for (int i = 0; i < 2; i++) {
      try {
        stream.synchronize();
        System.out.println("no error");
      } catch (CudaException e) {
        System.out.println(e.name() + " poisoned=" + e.contextPoisoned());
      }
    }
    buffer.close();
    stream.close();
    module.close();
    device.close();
    Eventually.isTrue(
        "everything let go",
        () -> LiveResources.snapshot().values().stream().allMatch(n -> n == 0));
    System.out.println("closed");
  }
}
