package dev.reprise.graph.adapter;

/**
 * A product of a model to whose result an adapter may add.
 *
 * @param name as in {@link AdapterWeights}
 * @param in length of a row that goes in
 * @param out length of a row that comes out
 */
public record AdapterProjection(String name, int in, int out) {}
