package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.adapter.AdapterPool;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.input.TokenHistory;
import dev.reprise.graph.kv.GrowthBudget;
import dev.reprise.graph.kv.KvPool;
import dev.reprise.graph.workspace.Workspace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The device memory of all steps of a runner, allocated once, at addresses that stay the same.
 *
 * <p>Steps over prompts have inputs of their own, so that what the device feeds back from one
 * decode step to the next outlasts the prompts between them.
 */
final class StepMemory implements AutoCloseable {

  final StaticInputs inputs;
  final StaticInputs prefillInputs;
  final KvPool kv;
  final Workspace workspace;
  final StepOutputs outputs;
  final TokenHistory history;
  final @Nullable AdapterPool adapters;
  private final List<AutoCloseable> owned;

  private StepMemory(
      Device device,
      Stream stream,
      DecodeModel model,
      EngineOptions options,
      int maxSequences,
      GrowthBudget budget,
      List<AutoCloseable> owned) {
    this.owned = owned;
    ModelInfo info = model.info();
    DecodeOptions decode = options.decode();
    int decodeRows = decode.buckets().maxRows();
    int maxRows = Math.max(decodeRows, decode.prefillRows());
    int maxBlocks = info.kv().blocksFor(decode.buckets().maxContext());
    inputs = own(new StaticInputs(device, decodeRows, maxSequences, maxBlocks));
    prefillInputs = own(new StaticInputs(device, decode.prefillRows(), maxSequences, maxBlocks));
    kv = own(pool(device, stream, info, options, budget));
    workspace =
        own(
            Workspace.allocate(
                device, model.planWorkspace(maxRows, decodeRows, preparable(decode))));
    int slots = options.inFlight();
    outputs = own(StepOutputs.allocate(device, stream, slots, decodeRows, info.vocabulary()));
    history =
        own(
            new TokenHistory(
                device,
                model.kernels(),
                decodeRows,
                info.vocabulary(),
                decode.buckets().maxContext(),
                IntStream.range(0, slots).mapToObj(outputs::status).toList()));
    adapters =
        options.adapters().slots() > 0
            ? own(new AdapterPool(device, model.adapterProjections(), options.adapters(), maxRows))
            : null;
  }

  private static KvPool pool(
      Device device, Stream stream, ModelInfo info, EngineOptions options, GrowthBudget budget) {
    int blocks = options.decode().kvBlocks();
    int most = options.kvGrowth().maxBlocks();
    boolean checked = options.checkedKv();
    return most == 0
        ? KvPool.create(device, stream, info.kv(), blocks, checked)
        : KvPool.createGrowing(device, stream, info.kv(), blocks, most, checked, budget);
  }

  /**
   * Allocates it; what has to be zero is zeroed in stream order.
   *
   * @param budget asked before the KV pool grows
   */
  static StepMemory allocate(
      Device device,
      Stream stream,
      DecodeModel model,
      EngineOptions options,
      int maxSequences,
      GrowthBudget budget) {
    List<AutoCloseable> owned = new ArrayList<>();
    try {
      return new StepMemory(device, stream, model, options, maxSequences, budget, owned);
    } catch (RuntimeException e) {
      Closing.all(owned, e);
      throw e;
    }
  }

  /** All buckets that steps may be prepared for. */
  private static List<Bucket> preparable(DecodeOptions decode) {
    List<Bucket> all = new ArrayList<>(decode.buckets().largestFirst());
    all.addAll(decode.buckets().eager());
    all.addAll(PromptSteps.buckets(decode).largestFirst());
    for (int context : decode.buckets().contexts()) {
      // By plain launches: exactly as many rows as there are.
      for (int rows = 1; rows <= decode.buckets().maxRows(); rows++) {
        all.add(new Bucket(rows, context));
      }
    }
    return all;
  }

  private <T extends AutoCloseable> T own(T resource) {
    owned.add(resource);
    return resource;
  }

  /** The inputs of a step. */
  StaticInputs inputs(boolean prefill) {
    return prefill ? prefillInputs : inputs;
  }

  /** What a model's step reads and writes. */
  StepBuffers buffers(boolean prefill, int slot) {
    return new StepBuffers(
        inputs(prefill), kv, workspace, outputs.logitsSpan(), outputs.status(slot), adapters);
  }

  @Override
  public void close() {
    RuntimeException failure = Closing.all(owned, null);
    owned.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
