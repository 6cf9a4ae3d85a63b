package dev.reprise.llama.gguf;

import java.util.Map;

/** What the parser makes of a file. */
record GgufContents(int version, GgufMetadata metadata, Map<String, GgufTensor> tensors) {}
