package dev.reprise.graph.decode;

import dev.reprise.graph.kv.KvLayout;

/**
 * What the runtime must know of a model.
 *
 * @param name for people
 * @param digest of weights and settings: equal only for models that compute the same
 * @param weights element type of the weights
 * @param activations element type of the activations
 * @param attention how attention is cut into tiles and segments, as part of the graph key
 * @param kv layout of the keys and values
 * @param vocabulary number of tokens, the length of a row of logits
 * @param maxContext positions that the model can have
 * @param parameters number of weights
 */
public record ModelInfo(
    String name,
    String digest,
    String weights,
    String activations,
    String attention,
    KvLayout kv,
    int vocabulary,
    int maxContext,
    long parameters) {}
