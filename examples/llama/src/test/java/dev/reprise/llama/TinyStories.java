package dev.reprise.llama;

import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.Generation;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.llama.gguf.GgufFile;
import java.util.Set;

/** The tiny model on the device of the tests. */
final class TinyStories implements AutoCloseable {

  final Device device;
  final LlamaModel model;

  private TinyStories(Device device, LlamaModel model) {
    this.device = device;
    this.model = model;
  }

  static TinyStories f32() {
    return open("tiny-stories-f32.gguf");
  }

  static TinyStories f16() {
    return open("tiny-stories-f16.gguf");
  }

  private static TinyStories open(String resource) {
    Device device = Device.open(0);
    try (GgufFile file = GgufFile.openResource(LlamaModel.class, resource)) {
      return new TinyStories(device, LlamaModel.load(device, file));
    } catch (RuntimeException e) {
      device.close();
      throw e;
    }
  }

  DecodeOptions options() {
    return DecodeOptions.forOneSequence(model.info());
  }

  DecodeLoop loop(DecodeOptions options) {
    return DecodeLoop.create(device, model, options);
  }

  static int[] tokens(DecodeLoop loop, int[] prompt, SamplingParameters sampling, int count) {
    Generation generation = loop.generate(prompt, sampling, count, Set.of(1), token -> true);
    return generation.tokens();
  }

  @Override
  public void close() {
    model.close();
    device.close();
  }
}
