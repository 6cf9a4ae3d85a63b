package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.Video;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import org.jspecify.annotations.Nullable;

/** Video instructions: {@code vadd} and its like, and those on two halves or four bytes. */
final class VideoDecoder {
  private final Emitter e;

  VideoDecoder(Emitter e) {
    this.e = e;
  }

  static boolean handles(String opcode) {
    return switch (opcode) {
      case "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset" -> true;
      case "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2" -> true;
      case "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4" -> true;
      default -> false;
    };
  }

  void video(Form f) {
    char last = f.opcode().charAt(f.opcode().length() - 1);
    if (last == '2' || last == '4') {
      parallel(f, last - '0');
    } else if (f.opcode().equals("vmad")) {
      multiplyAdd(f);
    } else {
      scalar(f);
    }
  }

  /** A register with the part that a selector such as {@code .b1} or {@code .h10} names. */
  private record Part(Operand.Name register, @Nullable String selector) {
    int shift() {
      if (selector == null) {
        return 0;
      }
      return (selector.charAt(1) - '0') * bits();
    }

    int bits() {
      return selector == null ? 32 : selector.charAt(0) == 'b' ? 8 : 16;
    }

    /** The word with this part put over it. */
    int merge(int word, long v) {
      if (selector == null) {
        return (int) v;
      }
      int mask = (1 << bits()) - 1 << shift();
      return word & ~mask | (int) v << shift() & mask;
    }
  }

  private static Part part(Form f, int k, int most) {
    if (!(f.operand(k) instanceof Operand.Name name)) {
      throw f.error("needs registers");
    }
    int dot = name.text().lastIndexOf('.');
    if (dot < 0) {
      return new Part(name, null);
    }
    String selector = name.text().substring(dot + 1);
    if (!selector.matches("b[0-7]{1,4}|h[0-3]{1,2}") || selector.length() > most + 1) {
      throw f.error("has an unknown selector ." + selector);
    }
    return new Part(new Operand.Name(name.text().substring(0, dot), 0), selector);
  }

  private static Part scalarPart(Form f, int k) {
    Part p = part(f, k, 1);
    if (p.shift() + p.bits() > 32) {
      throw f.error("has an unknown selector ." + p.selector);
    }
    return p;
  }

  private interface Scalar {
    long apply(long a, long b);
  }

  private void scalar(Form f) {
    boolean compares = f.opcode().equals("vset");
    PtxType result = compares ? PtxType.U32 : f.type(0);
    PtxType ta = f.type(compares ? 0 : 1);
    PtxType tb = f.type(compares ? 1 : 2);
    boolean saturate = f.take("sat");
    String second = f.takeAny("add", "min", "max");
    Scalar op =
        switch (f.opcode()) {
          case "vset" -> {
            String comparison = f.require("eq", "ne", "lt", "le", "gt", "ge");
            yield (x, y) -> Video.compare(comparison, x, y) ? 1 : 0;
          }
          case "vshl", "vshr" -> {
            boolean left = f.opcode().equals("vshl");
            boolean clamp = f.require("clamp", "wrap").equals("clamp");
            yield (x, y) -> Video.shift(left, x, y, clamp);
          }
          default -> {
            String name = f.opcode().substring(1);
            yield (x, y) -> Video.apply(name, x, y);
          }
        };
    Part to = scalarPart(f, 0);
    Part a = scalarPart(f, 1);
    Part b = scalarPart(f, 2);
    boolean third = second != null || to.selector != null;
    f.done(third ? 4 : 3);
    boolean signed = result.signed();
    int x = e.ints(a.register, PtxType.B32);
    int y = e.ints(b.register, PtxType.B32);
    int z = third ? e.ints(f.operand(3), PtxType.B32) : x;
    e.toInt(
        to.register,
        PtxType.B32,
        (w, d) ->
            IntLanes.map(
                d,
                w.i[x],
                w.i[y],
                w.i[z],
                (p, q, c) -> {
                  long v =
                      op.apply(
                          Video.part(p, a.shift(), a.bits(), ta.signed()),
                          Video.part(q, b.shift(), b.bits(), tb.signed()));
                  if (saturate) {
                    v = Video.saturate(v, to.bits(), signed);
                  }
                  return second != null
                      ? Video.secondary(second, (int) v, c, signed)
                      : to.merge(c, v);
                }));
  }

  private void multiplyAdd(Form f) {
    PtxType ta = f.type(1);
    PtxType tb = f.type(2);
    boolean saturate = f.take("sat");
    String scale = f.takeAny("shr7", "shr15");
    int shift = scale == null ? 0 : Integer.parseInt(scale.substring(3));
    int more = f.take("po") ? 1 : 0;
    Part a = scalarPart(f, 1);
    Part b = scalarPart(f, 2);
    f.done(4);
    boolean signed = ta.signed() || tb.signed();
    int x = e.ints(a.register, PtxType.B32);
    int y = e.ints(b.register, PtxType.B32);
    int z = e.ints(f.operand(3), PtxType.B32);
    e.toInt(
        f.operand(0),
        PtxType.B32,
        (w, d) ->
            IntLanes.map(
                d,
                w.i[x],
                w.i[y],
                w.i[z],
                (p, q, c) ->
                    Video.multiplyAdd(
                        Video.part(p, a.shift(), a.bits(), ta.signed()),
                        Video.part(q, b.shift(), b.bits(), tb.signed()),
                        signed ? c : c & 0xffff_ffffL,
                        more,
                        shift,
                        signed,
                        saturate)));
  }

  /** Selectors of a word's elements: element k of the operand is part {@code from[k]} of b:a. */
  private static int[] selection(Form f, Part p, int n, boolean second) {
    int[] from = new int[n];
    for (int k = 0; k < n; k++) {
      from[k] =
          p.selector == null
              ? (second ? n : 0) + k
              : p.selector.charAt(p.selector.length() - 1 - k) - '0';
      if (from[k] >= 2 * n) {
        throw f.error("has an unknown selector ." + p.selector);
      }
    }
    return from;
  }

  /** The elements of the result that a mask such as {@code .h1} or {@code .b320} names, as bits. */
  private static int mask(Part p, int n) {
    if (p.selector == null) {
      return (1 << n) - 1;
    }
    int bits = 0;
    for (char c : p.selector.substring(1).toCharArray()) {
      bits |= 1 << (c - '0');
    }
    return bits;
  }

  private void parallel(Form f, int n) {
    String name = f.opcode().substring(1, f.opcode().length() - 1);
    boolean compares = name.equals("set");
    String comparison = compares ? f.require("eq", "ne", "lt", "le", "gt", "ge") : "";
    PtxType result = compares ? PtxType.U32 : f.type(0);
    PtxType ta = f.type(compares ? 0 : 1);
    PtxType tb = f.type(compares ? 1 : 2);
    boolean saturate = f.take("sat");
    boolean accumulate = f.take("add");
    f.done(4);
    Part to = part(f, 0, n);
    int[] fromA = selection(f, part(f, 1, n), n, false);
    int[] fromB = selection(f, part(f, 2, n), n, true);
    int kept = mask(to, n);
    int bits = 32 / n;
    boolean signed = result.signed();
    int x = e.ints(part(f, 1, n).register, PtxType.B32);
    int y = e.ints(part(f, 2, n).register, PtxType.B32);
    int z = e.ints(f.operand(3), PtxType.B32);
    e.toInt(
        to.register,
        PtxType.B32,
        (w, d) ->
            IntLanes.map(
                d,
                w.i[x],
                w.i[y],
                w.i[z],
                (p, q, c) -> {
                  int r = c;
                  for (int k = 0; k < n; k++) {
                    if ((kept >>> k & 1) == 0) {
                      continue;
                    }
                    long u = element(p, q, fromA[k], n, ta.signed());
                    long v = element(p, q, fromB[k], n, tb.signed());
                    long value =
                        compares
                            ? (Video.compare(comparison, u, v) ? 1 : 0)
                            : Video.apply(name, u, v);
                    value = saturate ? Video.saturate(value, bits, signed) : value;
                    int field = (1 << bits) - 1 << k * bits;
                    r = accumulate ? r + (int) value : r & ~field | (int) value << k * bits & field;
                  }
                  return r;
                }));
  }

  private static long element(int a, int b, int from, int n, boolean signed) {
    int bits = 32 / n;
    return Video.part(from < n ? a : b, from % n * bits, bits, signed);
  }
}
