#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hf-f32/ again from the F32 GGUF file, which holds the same weights and the same tokenizer.

    python3 unpack.py

After it, export.py and golden.py run without the corpus and without a training run.
"""
import argparse
import json
import os

import numpy as np

from export import HERE, write_hf
from golden import read_gguf_all
from train_tokenizer import hf_json

GGUF = os.path.join(HERE, "..", "src", "main", "resources", "dev", "reprise", "llama", "tiny-stories-f32.gguf")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gguf", default=GGUF)
    ap.add_argument("--dir", default=HERE, help="the folder to write hf-f32/ to")
    a = ap.parse_args()
    meta, tensors = read_gguf_all(a.gguf)
    folder = os.path.join(a.dir, "hf-f32")
    os.makedirs(folder, exist_ok=True)
    vocab = {t: i for i, t in enumerate(meta["tokenizer.ggml.tokens"])}
    merges = [tuple(m.split(" ")) for m in meta["tokenizer.ggml.merges"]]
    tok_json = os.path.join(folder, "tokenizer.json")
    with open(tok_json, "w", encoding="utf-8") as f:
        json.dump(hf_json(vocab, merges), f, ensure_ascii=False, indent=1)
        f.write("\n")
    # The file's values are exact float32, widened by the reader.
    write_hf(folder, {k: v.astype(np.float32) for k, v in tensors.items()}, "F32", tok_json)
    print("wrote", folder, "from", os.path.basename(a.gguf))


if __name__ == "__main__":
    main()
