package dev.reprise.softgpu.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operand of an instruction, as written. */
public sealed interface Operand {

  /**
   * A register, special register (with its component, as in {@code %tid.x}), variable, label or
   * function; {@code _} is the sink.
   */
  record Name(String text, long offset) implements Operand {
    public boolean sink() {
      return text.equals("_");
    }

    @Override
    public String toString() {
      return offset == 0 ? text : text + (offset > 0 ? "+" : "") + offset;
    }
  }

  /** An integer constant, 64 bits. */
  record IntImmediate(long value) implements Operand {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /**
   * A floating-point constant. {@code single} tells {@code 0f...} from the double forms; the value
   * of the former is widened.
   */
  record FloatImmediate(double value, boolean single) implements Operand {
    @Override
    public String toString() {
      return Double.toString(value);
    }
  }

  /**
   * {@code [base+offset]}; no base for an absolute address. {@code more} holds further operands
   * inside the brackets (textures, tensors).
   */
  record Address(@Nullable Name base, long offset, List<Operand> more) implements Operand {
    @Override
    public String toString() {
      String text =
          base == null
              ? Long.toString(offset)
              : offset == 0 ? base.text() : base.text() + "+" + offset;
      return "[" + text + "]";
    }
  }

  /** {@code {a, b}}. */
  record Vector(List<Operand> elements) implements Operand {}

  /** {@code d|p}. */
  record Pair(Name first, Name second) implements Operand {}

  /** {@code !p}. */
  record Negated(Name name) implements Operand {}

  /** {@code (a, b)} of a call. */
  record Arguments(List<Operand> elements) implements Operand {}
}
