/**
 * A Llama-family model on the graph runtime: its settings and weights from a GGUF file, and its
 * decode step.
 */
@NullMarked
package dev.reprise.llama;

import org.jspecify.annotations.NullMarked;
