package dev.reprise.kernels;

import dev.reprise.kernels.contract.ElementType;

/** Type in which weights are stored. Activations and sums are always f32. */
public enum WeightType {
  /** IEEE binary32. */
  F32(ElementType.F32, "f32"),
  /** IEEE binary16, widened exactly. */
  F16(ElementType.F16, "f16");

  private final ElementType element;
  private final String suffix;

  WeightType(ElementType element, String suffix) {
    this.element = element;
    this.suffix = suffix;
  }

  /** Bytes of one weight. */
  public int bytes() {
    return element.bytes();
  }

  /** The type as contracts name it. */
  public ElementType element() {
    return element;
  }

  /** How names of kernels say the type. */
  String suffix() {
    return suffix;
  }
}
