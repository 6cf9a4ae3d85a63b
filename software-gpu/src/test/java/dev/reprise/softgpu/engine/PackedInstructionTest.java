package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arithmetic on parts of registers, and the rarer integer instructions, against BigInteger. */
final class PackedInstructionTest {
  private static final int[] EDGES = {
    0,
    1,
    -1,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0x7fff8000,
    0x8000_7fff,
    0x80808080,
    0x7f7f7f7f,
    0xffff,
    0xffff_0000,
    0x01020304
  };

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  private static List<Snippet.Row> rows(int operands) {
    Random r = new Random(21);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 400; k++) {
      long[] o = new long[operands];
      for (int x = 0; x < operands; x++) {
        o[x] = (r.nextInt(3) == 0 ? EDGES[r.nextInt(EDGES.length)] : r.nextInt()) & 0xffff_ffffL;
      }
      rows.add(new Snippet.Row(o));
    }
    return rows;
  }

  private static int part(long v, int shift, int bits, boolean signed) {
    int field = (int) (v >>> shift) & (int) ((1L << bits) - 1);
    return signed && bits < 32 && field >= 1 << bits - 1 ? field - (1 << bits) : field;
  }

  private static BigInteger big(long v, int shift, int bits, boolean signed) {
    int p = part(v, shift, bits, signed);
    return signed || bits < 32
        ? BigInteger.valueOf(p)
        : BigInteger.valueOf(Integer.toUnsignedLong(p));
  }

  private static BigInteger clamp(BigInteger v, int bits, boolean signed) {
    BigInteger most = BigInteger.TWO.pow(signed ? bits - 1 : bits).subtract(BigInteger.ONE);
    BigInteger least = signed ? most.negate().subtract(BigInteger.ONE) : BigInteger.ZERO;
    return v.max(least).min(most);
  }

  @ParameterizedTest
  @CsvSource({
    "add,s16x2,true",
    "min,s16x2,true",
    "max,s16x2,true",
    "min,u16x2,false",
    "max,u16x2,false"
  })
  void worksOnTwoHalves(String op, String type, boolean signed) {
    List<Snippet.Row> rows = rows(2);
    long[] got = Snippet.run(device, op + "." + type + " %d, %a, %b;", "b32", rows, "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      for (int shift : new int[] {0, 16}) {
        int a = part(o[0], shift, 16, signed);
        int b = part(o[1], shift, 16, signed);
        int want = op.equals("add") ? a + b : op.equals("min") ? Math.min(a, b) : Math.max(a, b);
        assertThat(part(got[k], shift, 16, false)).isEqualTo(want & 0xffff);
      }
    }
  }

  @Test
  void replacesNegativeExtremesByZero() {
    List<Snippet.Row> rows = rows(2);
    long[] one = Snippet.run(device, "min.relu.s32 %d, %a, %b;", "b32", rows, "b32", "b32");
    long[] two = Snippet.run(device, "max.relu.s16x2 %d, %a, %b;", "b32", rows, "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      assertThat((int) one[k]).isEqualTo(Math.max(0, Math.min((int) o[0], (int) o[1])));
      for (int shift : new int[] {0, 16}) {
        int a = part(o[0], shift, 16, true);
        int b = part(o[1], shift, 16, true);
        assertThat(part(two[k], shift, 16, false)).isEqualTo(Math.max(0, Math.max(a, b)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"add", "mul", "fma"})
  void worksOnTwoFloats(String op) {
    Random r = new Random(22);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 300; k++) {
      rows.add(new Snippet.Row(pair(r), pair(r), pair(r)));
    }
    String third = op.equals("fma") ? ", %c" : "";
    long[] got =
        Snippet.run(
            device, op + ".rn.f32x2 %d, %a, %b" + third + ";", "b64", rows, "b64", "b64", "b64");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      for (int shift : new int[] {0, 32}) {
        float a = Float.intBitsToFloat((int) (o[0] >>> shift));
        float b = Float.intBitsToFloat((int) (o[1] >>> shift));
        float c = Float.intBitsToFloat((int) (o[2] >>> shift));
        float want = op.equals("add") ? a + b : op.equals("mul") ? a * b : Math.fma(a, b, c);
        assertThat((int) (got[k] >>> shift)).isEqualTo(Float.floatToIntBits(want));
      }
    }
  }

  private static long pair(Random r) {
    return (long) Float.floatToIntBits(r.nextFloat() - 0.5f) << 32
        | Float.floatToIntBits(r.nextFloat() * 3) & 0xffff_ffffL;
  }

  @Test
  void addsHalvesToFloatsWithOneRounding() {
    Random r = new Random(23);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 300; k++) {
      rows.add(
          new Snippet.Row(
              Float.floatToFloat16(r.nextFloat()) & 0xffff,
              Float.floatToFloat16(r.nextFloat() - 0.5f) & 0xffff,
              Float.floatToIntBits(r.nextFloat() * 1e-3f) & 0xffff_ffffL));
    }
    long[] sums =
        Snippet.run(device, "add.rn.f32.f16 %d, %a, %c;", "f32", rows, "b16", "b16", "f32");
    long[] fused =
        Snippet.run(device, "fma.rn.f32.f16 %d, %a, %b, %c;", "f32", rows, "b16", "b16", "f32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      float a = Float.float16ToFloat((short) o[0]);
      float b = Float.float16ToFloat((short) o[1]);
      float c = Float.intBitsToFloat((int) o[2]);
      assertThat((int) sums[k]).isEqualTo(Float.floatToIntBits(a + c));
      assertThat((int) fused[k]).isEqualTo(Float.floatToIntBits(Math.fma(a, b, c)));
    }
  }

  @Test
  void multipliesTwentyFourBits() {
    List<Snippet.Row> rows = rows(3);
    long[] high = Snippet.run(device, "mul24.hi.s32 %d, %a, %b;", "b32", rows, "b32", "b32", "b32");
    long[] sum =
        Snippet.run(device, "mad24.hi.sat.s32 %d, %a, %b, %c;", "b32", rows, "b32", "b32", "b32");
    long[] wide =
        Snippet.run(device, "mad.hi.sat.s32 %d, %a, %b, %c;", "b32", rows, "b32", "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      BigInteger product = big(o[0], 0, 24, true).multiply(big(o[1], 0, 24, true)).shiftRight(16);
      BigInteger c = BigInteger.valueOf((int) o[2]);
      assertThat((int) high[k]).isEqualTo(product.intValue());
      assertThat((int) sum[k]).isEqualTo(clamp(product.add(c), 32, true).intValue());
      BigInteger whole =
          BigInteger.valueOf((int) o[0]).multiply(BigInteger.valueOf((int) o[1])).shiftRight(32);
      assertThat((int) wide[k]).isEqualTo(clamp(whole.add(c), 32, true).intValue());
    }
  }

  @Test
  void combinesTheTruthTableWithAPredicate() {
    List<Snippet.Row> rows = rows(3);
    String body =
        "setp.lt.s32 %p1, %a, 0; lop3.or.b32 %x1|%p2, %a, %b, %c, 0x80, %p1; selp.b32 %x2, 1, 0, %p2;"
            + " xor.b32 %d, %x1, %x2;";
    long[] got = Snippet.run(device, body, "b32", rows, "b32", "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      int and = (int) (o[0] & o[1] & o[2]);
      assertThat((int) got[k]).isEqualTo(and ^ (and != 0 || (int) o[0] < 0 ? 1 : 0));
    }
  }

  private static BigInteger apply(String op, BigInteger a, BigInteger b) {
    return switch (op) {
      case "add" -> a.add(b);
      case "sub" -> a.subtract(b);
      case "absdiff" -> a.subtract(b).abs();
      case "min" -> a.min(b);
      case "max" -> a.max(b);
      default -> {
        BigInteger sum = a.add(b);
        yield (sum.signum() >= 0 ? sum.add(BigInteger.ONE) : sum).shiftRight(1);
      }
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"add", "sub", "absdiff", "min", "max"})
  void worksOnPartsOfWords(String op) {
    List<Snippet.Row> rows = rows(3);
    String body =
        String.format("v%s.s32.u32.s32.sat %%x1, %%a.b2, %%b.h1; ", op)
            + String.format("v%s.u32.u32.u32.add %%x2, %%a, %%b, %%c; ", op)
            + String.format("v%s.s32.s32.s32.sat %%x3.h1, %%a, %%b.b0, %%c; ", op)
            + "mul.lo.u32 %x2, %x2, 3; mul.lo.u32 %x3, %x3, 5; add.u32 %d, %x1, %x2; add.u32 %d, %d, %x3;";
    long[] got = Snippet.run(device, body, "b32", rows, "b32", "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      int first =
          clamp(apply(op, big(o[0], 16, 8, false), big(o[1], 16, 16, true)), 32, true).intValue();
      int second =
          apply(op, big(o[0], 0, 32, false), big(o[1], 0, 32, false)).intValue() + (int) o[2];
      int half =
          clamp(apply(op, big(o[0], 0, 32, true), big(o[1], 0, 8, true)), 16, true).intValue();
      int third = half << 16 | (int) o[2] & 0xffff;
      assertThat((int) got[k]).isEqualTo(first + 3 * second + 5 * third);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"add", "sub", "absdiff", "min", "max", "avrg"})
  void worksOnHalvesAndBytesInParallel(String op) {
    List<Snippet.Row> rows = rows(3);
    String body =
        String.format("v%s4.u32.u32.u32.sat %%x1, %%a, %%b, %%c; ", op)
            + String.format("v%s2.s32.s32.s32 %%x2.h1, %%a.h01, %%b.h32, %%c; ", op)
            + String.format("v%s4.s32.s32.u32.add %%x3, %%a.b7654, %%b.b0123, %%c; ", op)
            + "mul.lo.u32 %x2, %x2, 3; mul.lo.u32 %x3, %x3, 5; add.u32 %d, %x1, %x2; add.u32 %d, %d, %x3;";
    long[] got = Snippet.run(device, body, "b32", rows, "b32", "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      int first = 0;
      int third = (int) o[2];
      for (int s = 0; s < 32; s += 8) {
        BigInteger v = apply(op, big(o[0], s, 8, false), big(o[1], s, 8, false));
        first |= (clamp(v, 8, false).intValue() & 0xff) << s;
        // Elements 4 to 7 are those of b; the second selector turns a around.
        third += apply(op, big(o[1], s, 8, true), big(o[0], 24 - s, 8, false)).intValue();
      }
      BigInteger half = apply(op, big(o[0], 0, 16, true), big(o[1], 16, 16, true));
      int second = half.intValue() << 16 | (int) o[2] & 0xffff;
      assertThat((int) got[k]).isEqualTo(first + 3 * second + 5 * third);
    }
  }

  @Test
  void shiftsMultipliesAndComparesParts() {
    List<Snippet.Row> rows = rows(3);
    String body =
        "vshl.u32.u32.u32.sat.clamp %x1, %a, %b.b0; vshr.s32.s32.u32.wrap %x2, %a, %b;"
            + " vmad.s32.s32.u32.sat.shr7 %x3, %a.h1, %b.h0, %c; vset.s32.u32.ge %x4, %a, %b;"
            + " mul.lo.u32 %x2, %x2, 3; mul.lo.u32 %x3, %x3, 5; add.u32 %d, %x1, %x2;"
            + " add.u32 %d, %d, %x3; add.u32 %d, %d, %x4;";
    long[] got = Snippet.run(device, body, "b32", rows, "b32", "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      int amount = Math.min(32, (int) o[1] & 0xff);
      int first = clamp(BigInteger.valueOf(o[0]).shiftLeft(amount), 32, false).intValue();
      int second = (int) o[0] >> ((int) o[1] & 31);
      BigInteger sum =
          big(o[0], 16, 16, true)
              .multiply(big(o[1], 0, 16, false))
              .add(BigInteger.valueOf((int) o[2]));
      int third = clamp(sum.shiftRight(7), 32, true).intValue();
      int fourth = (int) o[0] >= o[1] ? 1 : 0;
      assertThat((int) got[k]).isEqualTo(first + 3 * second + 5 * third + fourth);
    }
  }
}
