package dev.reprise.cli.measure;

import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.llama.LlamaModel;
import dev.reprise.llama.gguf.GgufFile;
import java.nio.file.Path;
import java.util.Optional;

/** A model on device 0; closing it closes the device too. */
public final class OpenModel implements AutoCloseable {

  private final Device device;
  private final LlamaModel model;

  private OpenModel(Device device, LlamaModel model) {
    this.device = device;
    this.model = model;
  }

  /** The embedded model. */
  public static OpenModel embedded() {
    return open(Optional.empty());
  }

  /** A model from a GGUF file, or the embedded one. */
  public static OpenModel open(Optional<Path> gguf) {
    try (GgufFile file =
        gguf.map(GgufFile::open)
            .orElseGet(() -> GgufFile.openResource(LlamaModel.class, LlamaModel.EMBEDDED))) {
      Device device = Device.open(0);
      try {
        return new OpenModel(device, LlamaModel.load(device, file));
      } catch (RuntimeException e) {
        try {
          device.close();
        } catch (RuntimeException closing) {
          e.addSuppressed(closing);
        }
        throw e;
      }
    }
  }

  /** The device that the model is on. */
  public Device device() {
    return device;
  }

  /** The model. */
  public LlamaModel model() {
    return model;
  }

  /** Options for one sequence of the model. */
  public DecodeOptions options() {
    return DecodeOptions.forOneSequence(model.info());
  }

  /** A decode loop, which is closed before this. */
  public DecodeLoop loop(DecodeOptions options) {
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
