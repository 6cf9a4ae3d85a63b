#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes golden.json: greedy continuations computed in float64 from hf-f32/model.safetensors.

    python3 golden.py

A plain numpy forward pass, apart from train.py: every weight is widened to
float64 and every operation is done in float64. Each step lists the five
largest logits; the gap between the first and the second says how much noise a
step can take before another token would win.

The continuations of the other files (bf16, and each GGUF, read back and
unpacked here) are computed in the same way, so they show what the rounding of
the weights alone changes.
"""
import argparse
import json
import os
import struct

import numpy as np

from export import C, HERE, read_safetensors
from train_tokenizer import Tokenizer

PROMPTS = [
    "Once upon a time",
    "Lily and Tom were best friends. One sunny day, they went to the park",
    "Once upon a time, there was a little dragon named Ziggy",
    "Ben had a red ball. One day, the ball was gone. \"Where is my red ball?\" asked Ben.",
    "One night, a star fell from the sky and landed in the garden. Mia",
    "Café Zoë had 12 red apples & 3 pears; it's true!\n\nOne windy day, Zoë",
]
# A nearly finished story: the model ends it, so the continuation holds <|eos|>.
ENDING = ("Once upon a time, there was a little girl named Lily. She lived in a small house by the river.\n\n"
          "One sunny day, Lily found a gold key under the big tree. \"What a nice key,\" said Lily. "
          "Then Lily heard someone crying. It was a fox named Rusty. \"I lost my gold key,\" said Rusty. "
          "\"Here it is,\" said Lily. \"I found it under the big tree.\"\n\n"
          "Rusty was very happy. \"Thank you!\" he said. \"You are very kind. Do you want to play with me?\" "
          "\"Yes, I would like that,\" said Lily. Lily learned that it is good to be honest.")
TEXTS = [
    "", " ", "  ", "\n", "\n\n", "a", "Hello", " Hello world", "Hello  world", "one\n\ntwo", "tabs\tand\r\nlines ",
    "It's Lily's. They're here; we've won, I'm glad, he'd go, I'll stay. DON'T!", "can't CAN'T", "abc123 45 6,789.00", "!!! ??? ... \"quoted\" (it)",
    "Zoë, naïve café", "日本語 текст ελληνικά", "🙂👍🏽 ok", "   leading and trailing   ", "a\u00a0b\u2003c", "x" * 40,
    "Once upon a time, there was a little girl named Lily.",
]


def read_gguf(path):
    """The tensors of a GGUF file, unpacked, under their Hugging Face names and in their row order."""
    return read_gguf_all(path)[1]


def read_gguf_all(path):
    """The metadata of a GGUF file, and its tensors as read_gguf gives them."""
    with open(path, "rb") as f:
        raw = f.read()
    at = 0

    def take(fmt):
        nonlocal at
        v = struct.unpack_from("<" + fmt, raw, at)
        at += struct.calcsize("<" + fmt)
        return v[0] if len(v) == 1 else v

    def text():
        nonlocal at
        n = take("Q")
        at += n
        return raw[at - n:at].decode("utf-8")

    def value(kind):
        if kind == 8:
            return text()
        if kind == 9:
            kind, n = take("IQ")
            return [value(kind) for _ in range(n)]
        return take({4: "I", 5: "i", 6: "f", 7: "?"}[kind])

    assert raw[:4] == b"GGUF"
    at = 4
    version, tensors, pairs = take("IQQ")
    assert version == 3
    meta = {}
    for _ in range(pairs):
        key = text()
        meta[key] = value(take("I"))
    infos = []
    for _ in range(tensors):
        name = text()
        dims = [take("Q") for _ in range(take("I"))]
        infos.append((name, dims[::-1]) + take("IQ"))
    at += -at % meta["general.alignment"]
    short = {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
             "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
             "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
    out = {}
    for name, shape, typ, off in infos:
        n, start = int(np.prod(shape)), at + off
        assert start % meta["general.alignment"] == 0
        if typ == 0:
            x = np.frombuffer(raw, "<f4", n, start).astype(np.float64)
        elif typ == 1:
            x = np.frombuffer(raw, "<f2", n, start).astype(np.float64)
        else:
            size = {8: 34, 2: 18}[typ]
            b = np.frombuffer(raw, np.uint8, n // 32 * size, start).reshape(-1, size)
            d = b[:, :2].copy().view("<f2").astype(np.float64)
            if typ == 8:
                x = d * b[:, 2:].copy().view(np.int8)
            else:
                x = d * (np.concatenate([b[:, 2:] & 15, b[:, 2:] >> 4], 1).astype(np.float64) - 8)
        x = x.reshape(shape)
        if name.endswith(("attn_q.weight", "attn_k.weight")):
            heads = meta["llama.attention.head_count" + ("_kv" if "attn_k" in name else "")]
            x = x.reshape(heads, shape[0] // heads // 2, 2, shape[1]).swapaxes(1, 2).reshape(shape)
        p = name.split(".")
        if p[0] == "blk":
            name = f"model.layers.{p[1]}.{short[p[2]]}.weight"
        else:
            name = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}[p[0]] + ".weight"
        out[name] = x
    return meta, out


OTHERS = ("bf16", "f16", "q8_0", "q4_0")


class Model:
    """Llama in float64 with a key/value cache, one token at a time."""

    def __init__(self, tensors):
        self.w = {k: v.astype(np.float64) for k, v in tensors.items()}
        hd = C["head_dim"]
        inv = C["theta"] ** (-np.arange(0, hd, 2, dtype=np.float64) / hd)
        ang = np.outer(np.arange(C["context"], dtype=np.float64), inv)
        self.cos, self.sin = np.cos(ang), np.sin(ang)
        self.reset()

    def reset(self):
        self.k = [[] for _ in range(C["layers"])]
        self.v = [[] for _ in range(C["layers"])]

    @staticmethod
    def norm(x, w):
        return x / np.sqrt(np.mean(x * x) + C["eps"]) * w

    def rope(self, x, pos):
        h = C["head_dim"] // 2
        a, b = x[:, :h], x[:, h:]
        c, s = self.cos[pos], self.sin[pos]
        return np.concatenate([a * c - b * s, b * c + a * s], 1)

    def step(self, token):
        w, hd, pos = self.w, C["head_dim"], len(self.k[0])
        x = w["model.embed_tokens.weight"][token]
        for n in range(C["layers"]):
            p = f"model.layers.{n}."
            h = self.norm(x, w[p + "input_layernorm.weight"])
            q = self.rope((w[p + "self_attn.q_proj.weight"] @ h).reshape(-1, hd), pos)
            k = self.rope((w[p + "self_attn.k_proj.weight"] @ h).reshape(-1, hd), pos)
            v = (w[p + "self_attn.v_proj.weight"] @ h).reshape(-1, hd)
            self.k[n].append(k)
            self.v[n].append(v)
            ks, vs = np.stack(self.k[n]), np.stack(self.v[n])     # [time, kv head, head_dim]
            out = []
            for j in range(C["heads"]):
                g = j // (C["heads"] // C["kv_heads"])
                s = ks[:, g] @ q[j] / np.sqrt(hd)
                e = np.exp(s - s.max())
                out.append((e / e.sum()) @ vs[:, g])
            x = x + w[p + "self_attn.o_proj.weight"] @ np.concatenate(out)
            h = self.norm(x, w[p + "post_attention_layernorm.weight"])
            gate = w[p + "mlp.gate_proj.weight"] @ h
            x = x + w[p + "mlp.down_proj.weight"] @ (gate / (1 + np.exp(-gate)) * (w[p + "mlp.up_proj.weight"] @ h))
        return w["model.embed_tokens.weight"] @ self.norm(x, w["model.norm.weight"])


def greedy(model, tok, prompt, n=64):
    ids = tok.encode(prompt, bos=True)
    model.reset()
    for t in ids:
        logits = model.step(t)
    cont, top, gaps = [], [], []
    for i in range(n):
        order = np.argsort(-logits, kind="stable")[:5]
        top.append([[int(t), round(float(logits[t]), 6)] for t in order])
        gaps.append(float(logits[order[0]] - logits[order[1]]))
        cont.append(int(order[0]))
        if cont[-1] == tok.eos:
            break
        if i + 1 < n:
            logits = model.step(cont[-1])
    at = int(np.argmin(gaps))
    return {"prompt": prompt, "prompt_ids": ids, "continuation_ids": cont, "continuation_text": tok.decode(cont),
            "ends_with_eos": cont[-1] == tok.eos, "min_gap": round(gaps[at], 6), "min_gap_step": at, "top5": top}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--dir", default=HERE)
    a = ap.parse_args()
    tok = Tokenizer.load(os.path.join(a.dir, "hf-f32", "tokenizer.json"))
    base = read_safetensors(os.path.join(a.dir, "hf-f32", "model.safetensors"))
    model = Model(base)
    cases = [greedy(model, tok, p) for p in PROMPTS]
    ending = greedy(model, tok, ENDING)
    check = read_gguf(os.path.join(a.dir, "tiny-stories-f32.gguf"))
    assert check.keys() == base.keys() and all(np.array_equal(check[k], base[k]) for k in base)
    for c in cases + [ending]:
        c["other"] = {}
    for kind in OTHERS:
        if kind == "bf16":
            m = Model(read_safetensors(os.path.join(a.dir, "hf-bf16", "model.safetensors")))
        else:
            m = Model(read_gguf(os.path.join(a.dir, f"tiny-stories-{kind}.gguf")))
        for c in cases + [ending]:
            g = greedy(m, tok, c["prompt"])
            same = 0
            for x, y in zip(g["continuation_ids"], c["continuation_ids"]):
                if x != y:
                    break
                same += 1
            c["other"][kind] = {k: g[k] for k in ("continuation_ids", "continuation_text", "ends_with_eos", "min_gap", "min_gap_step")}
            c["other"][kind]["first_logits"] = g["top5"][0]
            print(kind, "same for", same, "of", len(c["continuation_ids"]), "min gap", g["min_gap"])
    worst = min(cases + [ending], key=lambda c: c["min_gap"])
    head = {
        "about": "Greedy continuations in float64 from hf-f32/model.safetensors. prompt_ids begin with <|bos|>; "
                 "top5 holds [token id, logit] of the five largest logits of each step, before softmax. "
                 "A continuation has 64 tokens, or fewer when it ends with <|eos|>. other holds the continuations with "
                 "the weights of the other files, also in float64; tokenizer holds texts and their ids without <|bos|>.",
        "bos": tok.bos, "eos": tok.eos,
        "min_gap": worst["min_gap"], "min_gap_prompt": worst["prompt"], "min_gap_step": worst["min_gap_step"],
    }
    with open(os.path.join(a.dir, "golden.json"), "w", encoding="utf-8") as f:
        body = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
        dump = lambda x: json.dumps(x, ensure_ascii=False)
        f.write(body + ',\n "cases": [\n' + ",\n".join("  " + dump(c) for c in cases) + "\n ],\n")
        f.write(' "ending": ' + dump(ending) + ',\n "tokenizer": [\n')
        f.write(",\n".join("  " + dump({"text": t, "ids": tok.encode(t)}) for t in TEXTS) + "\n ]\n}\n")
    for c in cases + [ending]:
        print(c["min_gap"], c["min_gap_step"], c["ends_with_eos"], repr(c["prompt"][-60:] + " >> " + c["continuation_text"]))


if __name__ == "__main__":
    main()
