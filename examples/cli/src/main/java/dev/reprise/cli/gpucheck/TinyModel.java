package dev.reprise.cli.gpucheck;

import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.llama.LlamaModel;
import dev.reprise.llama.gguf.GgufFile;

/** The embedded model on device 0. */
final class TinyModel implements AutoCloseable {

  private final Device device;
  private final LlamaModel model;

  private TinyModel(Device device, LlamaModel model) {
    this.device = device;
    this.model = model;
  }

  static TinyModel open() {
    Device device = Device.open(0);
    try (GgufFile file = GgufFile.openResource(LlamaModel.class, LlamaModel.EMBEDDED)) {
      return new TinyModel(device, LlamaModel.load(device, file));
    } catch (RuntimeException e) {
      try {
        device.close();
      } catch (RuntimeException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  Device device() {
    return device;
  }

  LlamaModel model() {
    return model;
  }

  DecodeOptions options() {
    return DecodeOptions.forOneSequence(model.info());
  }

  DecodeLoop loop(DecodeOptions options) {
    return DecodeLoop.create(device, model, options);
  }

  @Override
  public void close() {
    try {
      model.close();
    } finally {
      device.close();
    }
  }
}
