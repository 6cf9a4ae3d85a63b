package dev.reprise.graph.bucket;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Ways of choosing sizes for a row count or a context without looking at a workload. Each list ends
 * with the largest size asked for, so that nothing up to it is left without a bucket.
 */
public final class BucketSizes {

  private BucketSizes() {}

  /** 1, 2, 4 … and {@code max}. */
  public static List<Integer> powersOfTwo(int max) {
    return powersOfTwo(1, max);
  }

  /** {@code first}, twice that, four times that … and {@code max}. */
  public static List<Integer> powersOfTwo(int first, int max) {
    check("first size", first);
    SortedSet<Integer> sizes = upTo(max);
    for (long size = first; size < max; size *= 2) {
      sizes.add((int) size);
    }
    return new ArrayList<>(sizes);
  }

  /** {@code step}, 2 × {@code step}, 3 × {@code step} … and {@code max}. */
  public static List<Integer> fixedStep(int step, int max) {
    check("step", step);
    return stepping(upTo(max), step, step, max);
  }

  /**
   * The decode sizes that vLLM 0.10 and later capture unless told otherwise: 1, 2, 4, then every 8
   * below 256, then every 16.
   */
  public static List<Integer> vllm(int max) {
    SortedSet<Integer> sizes = upTo(max);
    addUpTo(sizes, max, 1, 2, 4);
    stepping(sizes, 8, 8, Math.min(max, 255));
    return stepping(sizes, 256, 16, max);
  }

  /**
   * The decode sizes of SGLang's default list: 1, 2, 4, 8, 12, then every 8 from 16 to 256, every
   * 16 up to 511, every 32 from 512 on.
   */
  public static List<Integer> sglang(int max) {
    SortedSet<Integer> sizes = upTo(max);
    addUpTo(sizes, max, 1, 2, 4, 8, 12);
    stepping(sizes, 16, 8, Math.min(max, 256));
    stepping(sizes, 272, 16, Math.min(max, 511));
    return stepping(sizes, 512, 32, max);
  }

  /**
   * The sizes of TensorRT-LLM's PyTorch backend with padding on: 1, 2, 4, every 8 from 8 to 128,
   * then every 64.
   */
  public static List<Integer> tensorRtLlm(int max) {
    SortedSet<Integer> sizes = upTo(max);
    addUpTo(sizes, max, 1, 2, 4);
    stepping(sizes, 8, 8, Math.min(max, 128));
    return stepping(sizes, 192, 64, max);
  }

  private static SortedSet<Integer> upTo(int max) {
    check("largest size", max);
    SortedSet<Integer> sizes = new TreeSet<>();
    sizes.add(max);
    return sizes;
  }

  private static void addUpTo(SortedSet<Integer> sizes, int max, int... values) {
    for (int value : values) {
      if (value <= max) {
        sizes.add(value);
      }
    }
  }

  private static List<Integer> stepping(SortedSet<Integer> sizes, int first, int step, int last) {
    for (long size = first; size <= last; size += step) {
      sizes.add((int) size);
    }
    return new ArrayList<>(sizes);
  }

  private static void check(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("The " + what + " must be at least 1: " + value);
    }
  }
}
