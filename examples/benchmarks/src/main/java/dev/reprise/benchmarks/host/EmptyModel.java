package dev.reprise.benchmarks.host;

import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.Kernels;

/** A model that launches nothing, so that a step is what the runtime itself does. */
final class EmptyModel implements DecodeModel {

  private static final int VOCABULARY = 64;
  private static final int HEAD_DIM = 32;

  private final Kernels kernels;
  private final ModelInfo info;

  EmptyModel(Device device, int blockSize, int context) {
    kernels = Kernels.load(device);
    info =
        new ModelInfo(
            "empty",
            "empty",
            "none",
            "none",
            "none",
            new KvLayout(1, 1, HEAD_DIM, blockSize),
            VOCABULARY,
            context,
            0);
  }

  @Override
  public ModelInfo info() {
    return info;
  }

  @Override
  public Kernels kernels() {
    return kernels;
  }

  @Override
  public WorkspacePlan planWorkspace(int maxRows, int maxLogitRows) {
    return new WorkspacePlan().add("unused", Integer.BYTES);
  }

  @Override
  public Step prepare(StepBuffers buffers, StepShape shape) {
    return stream -> {};
  }

  @Override
  public void close() {
    kernels.close();
  }
}
