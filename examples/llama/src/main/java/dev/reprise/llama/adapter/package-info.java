/** Files of low-rank adapters for Llama models: GGUF and safetensors. */
@NullMarked
package dev.reprise.llama.adapter;

import org.jspecify.annotations.NullMarked;
