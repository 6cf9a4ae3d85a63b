package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Integer instructions against formulas in BigInteger or bit by bit. */
final class IntegerInstructionTest {
  private static final long SEED = 20260101;
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private interface Formula {
    BigInteger apply(BigInteger a, BigInteger b, BigInteger c);
  }

  private static List<Snippet.Row> rows(int bits, int shiftOperand) {
    Random r = new Random(SEED);
    long[] edges = {
      0,
      1,
      2,
      3,
      31,
      32,
      33,
      63,
      64,
      65,
      127,
      0x7f,
      0x80,
      0xff,
      0x7fff,
      0x8000,
      0xffff,
      0x7fff_ffffL,
      0x8000_0000L,
      0xffff_ffffL,
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      -1
    };
    List<Snippet.Row> rows = new ArrayList<>();
    long mask = bits == 64 ? -1 : (1L << bits) - 1;
    for (long a : edges) {
      for (long b : edges) {
        rows.add(
            new Snippet.Row(
                a & mask, shiftOperand == 1 ? b & 0xffff_ffffL : b & mask, r.nextLong() & mask));
      }
    }
    for (int k = 0; k < 200; k++) {
      rows.add(
          new Snippet.Row(
              r.nextLong() & mask,
              shiftOperand == 1 ? r.nextInt(70) : r.nextLong() & mask,
              r.nextLong() & mask));
    }
    return rows;
  }

  private static BigInteger value(long bits, int width, boolean signed) {
    BigInteger v = BigInteger.valueOf(bits);
    BigInteger one = BigInteger.ONE.shiftLeft(width);
    v = v.mod(one);
    return signed && v.testBit(width - 1) ? v.subtract(one) : v;
  }

  private void check(String type, String instruction, int resultBits, Formula formula) {
    int bits = Integer.parseInt(type.substring(1));
    boolean signed = type.startsWith("s");
    boolean shift = instruction.startsWith("sh");
    List<Snippet.Row> rows = rows(bits, shift ? 1 : 0);
    String third = resultBits > bits ? (signed ? "s" : "u") + resultBits : type;
    long[] got =
        Snippet.run(
            device,
            instruction + ";",
            resultBits == 16 ? "b16" : "b" + resultBits,
            rows,
            type,
            shift ? "u32" : type,
            third);
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      BigInteger b = value(o[1], shift ? 32 : bits, signed && !shift);
      BigInteger want =
          formula.apply(value(o[0], bits, signed), b, value(o[2], resultBits, signed));
      long mask = resultBits == 64 ? -1 : (1L << resultBits) - 1;
      assertThat(got[k] & mask)
          .as("%s of %x, %x, %x", instruction, o[0], o[1], o[2])
          .isEqualTo(want.longValue() & mask);
    }
  }

  @Test
  void addsSubtractsAndMultipliesModuloTheWidth() {
    for (String t : List.of("u16", "s16", "u32", "s32", "u64", "s64")) {
      int bits = Integer.parseInt(t.substring(1));
      check(t, "add." + t + " %d, %a, %b", bits, (a, b, c) -> a.add(b));
      check(t, "sub." + t + " %d, %a, %b", bits, (a, b, c) -> a.subtract(b));
      check(t, "mul.lo." + t + " %d, %a, %b", bits, (a, b, c) -> a.multiply(b));
      check(t, "mul.hi." + t + " %d, %a, %b", bits, (a, b, c) -> a.multiply(b).shiftRight(bits));
      check(t, "mad.lo." + t + " %d, %a, %b, %c", bits, (a, b, c) -> a.multiply(b).add(c));
      check(
          t,
          "mad.hi." + t + " %d, %a, %b, %c",
          bits,
          (a, b, c) -> a.multiply(b).shiftRight(bits).add(c));
    }
  }

  @Test
  void widensProducts() {
    for (String t : List.of("u16", "s16", "u32", "s32")) {
      int bits = Integer.parseInt(t.substring(1));
      check(t, "mul.wide." + t + " %d, %a, %b", bits * 2, (a, b, c) -> a.multiply(b));
      check(t, "mad.wide." + t + " %d, %a, %b, %c", bits * 2, (a, b, c) -> a.multiply(b).add(c));
    }
  }

  @Test
  void dividesTowardsZero() {
    for (String t : List.of("u16", "s16", "u32", "s32", "u64", "s64")) {
      int bits = Integer.parseInt(t.substring(1));
      check(
          t,
          "div." + t + " %d, %a, %b",
          bits,
          (a, b, c) -> b.signum() == 0 ? BigInteger.valueOf(-1) : a.divide(b));
      check(t, "rem." + t + " %d, %a, %b", bits, (a, b, c) -> b.signum() == 0 ? a : a.remainder(b));
    }
  }

  @Test
  void comparesForMinAndMaxBySign() {
    for (String t : List.of("u16", "s16", "u32", "s32", "u64", "s64")) {
      int bits = Integer.parseInt(t.substring(1));
      check(t, "min." + t + " %d, %a, %b", bits, (a, b, c) -> a.min(b));
      check(t, "max." + t + " %d, %a, %b", bits, (a, b, c) -> a.max(b));
    }
  }

  @Test
  void negatesAndTakesMagnitudes() {
    for (String t : List.of("s16", "s32", "s64")) {
      int bits = Integer.parseInt(t.substring(1));
      check(t, "neg." + t + " %d, %a", bits, (a, b, c) -> a.negate());
      check(t, "abs." + t + " %d, %a", bits, (a, b, c) -> a.abs());
    }
  }

  @Test
  void doesLogicOnBits() {
    for (int bits : new int[] {16, 32, 64}) {
      String u = "u" + bits;
      check(u, "and.b" + bits + " %d, %a, %b", bits, (a, b, c) -> a.and(b));
      check(u, "or.b" + bits + " %d, %a, %b", bits, (a, b, c) -> a.or(b));
      check(u, "xor.b" + bits + " %d, %a, %b", bits, (a, b, c) -> a.xor(b));
      check(u, "not.b" + bits + " %d, %a", bits, (a, b, c) -> a.not());
    }
  }

  @Test
  void clampsShiftAmounts() {
    for (int bits : new int[] {16, 32, 64}) {
      check(
          "u" + bits,
          "shl.b" + bits + " %d, %a, %b",
          bits,
          (a, b, c) -> a.shiftLeft(b.min(BigInteger.valueOf(bits)).intValue()));
      check(
          "u" + bits,
          "shr.u" + bits + " %d, %a, %b",
          bits,
          (a, b, c) -> a.shiftRight(b.min(BigInteger.valueOf(bits)).intValue()));
      check(
          "s" + bits,
          "shr.s" + bits + " %d, %a, %b",
          bits,
          (a, b, c) -> a.shiftRight(b.min(BigInteger.valueOf(bits)).intValue()));
    }
    check("s32", "shr.s32 %d, %a, 5", 32, (a, b, c) -> a.shiftRight(5));
    check("u64", "shl.b64 %d, %a, 40", 64, (a, b, c) -> a.shiftLeft(40));
  }

  @Test
  void countsBits() {
    for (int bits : new int[] {32, 64}) {
      String u = "u" + bits;
      check(
          u,
          "popc.b" + bits + " %x1, %a; cvt.u" + bits + ".u32 %d, %x1",
          bits,
          (a, b, c) -> BigInteger.valueOf(a.bitCount()));
      check(
          u,
          "clz.b" + bits + " %x1, %a; cvt.u" + bits + ".u32 %d, %x1",
          bits,
          (a, b, c) -> BigInteger.valueOf(bits - a.bitLength()));
      check(
          u,
          "brev.b" + bits + " %d, %a",
          bits,
          (a, b, c) -> {
            BigInteger r = BigInteger.ZERO;
            for (int k = 0; k < bits; k++) {
              r = a.testBit(k) ? r.setBit(bits - 1 - k) : r;
            }
            return r;
          });
      check(
          u,
          "bfind.u" + bits + " %x1, %a; cvt.s" + bits + ".s32 %d, %x1",
          bits,
          (a, b, c) -> BigInteger.valueOf(a.bitLength() - 1));
      check(
          "s" + bits,
          "bfind.s" + bits + " %x1, %a; cvt.s" + bits + ".s32 %d, %x1",
          bits,
          (a, b, c) -> BigInteger.valueOf(a.bitLength() - 1));
    }
    check(
        "u32",
        "bfind.shiftamt.u32 %d, %a",
        32,
        (a, b, c) -> BigInteger.valueOf(a.signum() == 0 ? -1 : 32 - a.bitLength()));
  }

  @Test
  void carriesThroughAChain() {
    List<Snippet.Row> rows = rows(64, 0);
    String chain =
        "cvt.u32.u64 %x1, %a; shr.u64 %y1, %a, 32; cvt.u32.u64 %x2, %y1;"
            + "cvt.u32.u64 %x3, %b; shr.u64 %y1, %b, 32; cvt.u32.u64 %x4, %y1;";
    long[] sums =
        Snippet.run(
            device,
            chain + "add.cc.u32 %x5, %x1, %x3; addc.u32 %x6, %x2, %x4; mov.b64 %d, {%x5, %x6};",
            "b64",
            rows,
            "b64",
            "b64");
    long[] differences =
        Snippet.run(
            device,
            chain + "sub.cc.u32 %x5, %x1, %x3; subc.u32 %x6, %x2, %x4; mov.b64 %d, {%x5, %x6};",
            "b64",
            rows,
            "b64",
            "b64");
    long[] products =
        Snippet.run(
            device,
            chain
                + "mul.lo.u32 %x5, %x1, %x3; mul.hi.u32 %x6, %x1, %x3;"
                + "mad.lo.cc.u32 %x6, %x1, %x4, %x6; madc.hi.u32 %x7, %x1, %x4, 0;"
                + "mad.lo.cc.u32 %x6, %x2, %x3, %x6; madc.hi.u32 %x7, %x2, %x3, %x7; mov.b64 %d, {%x5, %x6};",
            "b64",
            rows,
            "b64",
            "b64");
    for (int k = 0; k < rows.size(); k++) {
      long a = rows.get(k).operands()[0];
      long b = rows.get(k).operands()[1];
      assertThat(sums[k]).isEqualTo(a + b);
      assertThat(differences[k]).isEqualTo(a - b);
      assertThat(products[k]).isEqualTo(a * b);
    }
  }

  @Test
  void carriesIn64Bits() {
    List<Snippet.Row> rows = rows(64, 0);
    long[] carry =
        Snippet.run(
            device, "add.cc.u64 %y1, %a, %b; addc.u64 %d, 0, 0;", "b64", rows, "b64", "b64");
    long[] borrow =
        Snippet.run(
            device, "sub.cc.u64 %y1, %a, %b; subc.u64 %d, 0, 0;", "b64", rows, "b64", "b64");
    for (int k = 0; k < rows.size(); k++) {
      BigInteger a = value(rows.get(k).operands()[0], 64, false);
      BigInteger b = value(rows.get(k).operands()[1], 64, false);
      assertThat(carry[k]).isEqualTo(a.add(b).bitLength() > 64 ? 1 : 0);
      assertThat(borrow[k]).isEqualTo(a.compareTo(b) < 0 ? -1 : 0);
    }
  }
}
