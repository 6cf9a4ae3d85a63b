package dev.reprise.graph.decode;

import dev.reprise.graph.adapter.AdapterPool;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvPool;
import dev.reprise.graph.workspace.Workspace;
import dev.reprise.kernels.Span;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a step reads and writes, at addresses that stay the same for all steps.
 *
 * @param inputs row inputs and block tables
 * @param kv keys and values
 * @param workspace intermediate values, as the model planned them
 * @param logits f32 {@code [maxLogitRows][vocabulary]}
 * @param status one i32 in which kernels set a bit when they meet what cannot be
 * @param adapters the adapters; null where there is no room for any
 */
public record StepBuffers(
    StaticInputs inputs,
    KvPool kv,
    Workspace workspace,
    Span logits,
    Span status,
    @Nullable AdapterPool adapters) {}
