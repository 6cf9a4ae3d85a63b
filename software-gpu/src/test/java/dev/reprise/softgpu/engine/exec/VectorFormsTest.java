package dev.reprise.softgpu.engine.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.engine.FormSamples;
import dev.reprise.softgpu.engine.decode.ModuleDecoder;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.ptx.PtxParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the Vector API does for an operation is what the operation does by itself. */
class VectorFormsTest {

  @Test
  void eachOperationOfTheFormsThatCompilersEmitGivesTheSame() throws IOException {
    AddressSpace memory = new AddressSpace(1L << 24);
    Set<String> compared = new TreeSet<>();
    for (String form : lines()) {
      Program program =
          new ModuleDecoder(PtxParser.parse(FormSamples.module(form)), Map.of(), Map.of())
              .kernels()
              .getFirst()
              .program();
      Block.Shape shape = new Block.Shape(32, 1, 1, 0, 0, -1, false);
      Warp w = new Warp(new Block(program, shape, memory), 0, program, memory);
      w.start(-1);
      for (Op op : program.code()) {
        VectorForm vectors = op.function == null ? null : VectorForms.of(op);
        if (vectors != null && compared.add(form + " " + op.function)) {
          for (long seed = 1; seed <= 8; seed++) {
            compare(program, w, op, vectors, form, seed);
          }
        }
      }
    }
    assertThat(compared).hasSizeGreaterThan(150);
  }

  private static List<String> lines() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(FormSamples.class.getResourceAsStream("instruction-forms.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static void compare(
      Program program, Warp w, Op op, VectorForm vectors, String form, long seed) {
    fill(program, w, seed);
    op.run(w, -1);
    String want = state(w);
    fill(program, w, seed);
    vectors.run(w, op, -1);
    assertThat(state(w)).as("%s, %s, seed %d", form, op.function, seed).isEqualTo(want);
  }

  /** Random registers; which NaN a float is, is seen by nobody. */
  private static void fill(Program program, Warp w, long seed) {
    Random random = new Random(seed);
    for (int r = 0; r < w.i.length; r++) {
      for (int k = 0; k < 32 && program.ints()[r] == null; k++) {
        w.i[r][k] = random.nextInt() >> random.nextInt(32);
      }
    }
    for (int r = 0; r < w.l.length; r++) {
      for (int k = 0; k < 32 && program.longs()[r] == null; k++) {
        w.l[r][k] = random.nextLong() >> random.nextInt(64);
      }
    }
    for (int r = 0; r < w.f.length; r++) {
      for (int k = 0; k < 32 && program.floats()[r] == null; k++) {
        float any = Float.intBitsToFloat(random.nextInt());
        w.f[r][k] =
            random.nextInt(4) == 0 ? Float.NaN : random.nextBoolean() ? any : random.nextInt(9) - 4;
      }
    }
    for (int r = 0; r < w.d.length; r++) {
      for (int k = 0; k < 32 && program.doubles()[r] == null; k++) {
        double any = Double.longBitsToDouble(random.nextLong());
        w.d[r][k] = random.nextInt(4) == 0 ? Double.NaN : any;
      }
    }
    for (int r = 0; r < w.p.length; r++) {
      w.p[r] = random.nextInt();
    }
  }

  private static String state(Warp w) {
    return Arrays.deepToString(w.i)
        + Arrays.deepToString(w.l)
        + Arrays.deepToString(w.f)
        + Arrays.deepToString(w.d)
        + Arrays.toString(w.p);
  }
}
