/**
 * Reads GGUF model files: metadata and tensors, with every length and offset checked before use.
 */
@NullMarked
package dev.reprise.llama.gguf;

import org.jspecify.annotations.NullMarked;
