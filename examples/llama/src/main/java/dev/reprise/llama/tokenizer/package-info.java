/** Byte-level BPE: text to token ids and back, as the metadata of a GGUF file defines it. */
@NullMarked
package dev.reprise.llama.tokenizer;

import org.jspecify.annotations.NullMarked;
