package dev.reprise.softgpu.engine.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.engine.Dim3;
import dev.reprise.softgpu.engine.Engine;
import dev.reprise.softgpu.engine.Execution;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.LaunchRequest;
import dev.reprise.softgpu.engine.LoadedModule;
import dev.reprise.softgpu.engine.decode.ModuleDecoder;
import dev.reprise.softgpu.engine.decode.ModuleDecoder.DecodedKernel;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import dev.reprise.softgpu.ptx.PtxParser;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What the interpreter does by a number is what the operation does by itself. The latter is what
 * happens while a launch is counted.
 */
class InterpreterTest {

  private static final int LANES = 32;

  /** Instructions with %x, %y, %z as sources; the result goes to the register named first. */
  private static final String[] BODY = {
    "fma.rn.f32 F, %f0, %f1, %f2;",
    "add.rn.f32 F, %f0, %f1;",
    "sub.rn.f32 F, %f0, %f1;",
    "mul.rn.f32 F, %f0, %f1;",
    "max.f32 F, %f0, %f1;",
    "mov.f32 F, %f1;",
    "selp.f32 F, %f0, %f1, %p1;",
    "cvt.f32.f16 F, %h0;",
    "mov.b32 F, %r1;",
    "add.s32 R, %r0, %r1;",
    "sub.s32 R, %r0, %r1;",
    "mul.lo.s32 R, %r0, %r1;",
    "mad.lo.s32 R, %r0, %r1, %r2;",
    "and.b32 R, %r0, %r1;",
    "or.b32 R, %r0, %r1;",
    "xor.b32 R, %r0, %r1;",
    "min.s32 R, %r0, %r1;",
    "mov.b32 R, %r0;",
    "shl.b32 R, %r0, 5;",
    "shr.u32 R, %r0, 5;",
    "shr.s32 R, %r0, 5;",
    "mov.b32 {%h1, %h2}, %r0; cvt.u32.u16 R, %h2;",
    "selp.b32 R, %r0, %r1, %p1;",
    "mov.b32 R, %f0;",
    "mov.b32 R, %f9;",
    "add.s64 L, %l0, %l1;",
    "mov.b64 L, %l0;",
    "shl.b64 L, %l0, 7;",
    "mul.wide.s32 L, %r0, %r1;",
    "mul.wide.u32 L, %r0, %r1;",
    "cvt.s64.s32 L, %r0;",
    "cvt.u64.u32 L, %r0;",
    "setp.eq.s32 P, %r0, %r2;",
    "setp.ne.s32 P, %r0, %r2;",
    "setp.lt.s32 P, %r0, %r1;",
    "setp.ge.s32 P, %r0, %r1;",
    "setp.lt.u32 P, %r0, %r1;",
    "setp.ge.u32 P, %r0, %r1;",
    // The result is a source too.
    "mov.f32 %f8, %f0; fma.rn.f32 %f8, %f8, %f1, %f8; mov.f32 F, %f8;",
    "mov.b32 %r8, %r0; sub.s32 %r8, %r1, %r8; mov.b32 R, %r8;",
    "mov.b32 %r8, %r0; selp.b32 %r8, %r1, %r8, %p1; mov.b32 R, %r8;",
  };

  private static String ptx() {
    StringBuilder s = new StringBuilder();
    s.append(".version 8.0\n.target sm_80\n.address_size 64\n");
    s.append(".visible .entry k(.param .u64 in, .param .u64 out) {\n");
    s.append(".reg .f32 %f<10>, %fo; .reg .b32 %r<10>, %ro; .reg .b64 %l<10>, %lo, %a, %b;\n");
    s.append(".reg .b16 %h<4>; .reg .pred %p1, %po; .reg .u32 %t;\n");
    s.append("ld.param.u64 %a, [in]; ld.param.u64 %b, [out]; mov.u32 %t, %tid.x;\n");
    s.append("mul.wide.u32 %l9, %t, 64; add.s64 %a, %a, %l9;\n");
    s.append("mul.wide.u32 %l9, %t, ").append(8 * BODY.length).append("; add.s64 %b, %b, %l9;\n");
    s.append("ld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%a+4]; ld.global.f32 %f2, [%a+8];\n");
    s.append("ld.global.u32 %r0, [%a+12]; ld.global.u32 %r1, [%a+16];\n");
    s.append("ld.global.u32 %r2, [%a+20]; ld.global.u64 %l0, [%a+24];\n");
    s.append("ld.global.u64 %l1, [%a+32]; ld.global.u16 %h0, [%a+40];\n");
    s.append("add.rn.f32 %f9, %f0, %f1; setp.lt.s32 %p1, %r1, %r2;\n");
    for (int k = 0; k < BODY.length; k++) {
      String line = BODY[k];
      s.append(
          line.replace(" F,", " %fo,")
              .replace(" R,", " %ro,")
              .replace(" L,", " %lo,")
              .replace(" P,", " %po,"));
      String at = " [%b+" + 8 * k + "], ";
      if (line.contains(" F,")) {
        s.append(" st.global.f32").append(at).append("%fo;\n");
      } else if (line.contains(" R,")) {
        s.append(" st.global.u32").append(at).append("%ro;\n");
      } else if (line.contains(" L,")) {
        s.append(" st.global.u64").append(at).append("%lo;\n");
      } else {
        s.append(" selp.b32 %ro, 1, 2, %po; st.global.u32").append(at).append("%ro;\n");
      }
    }
    return s.append("ret; }\n").toString();
  }

  @Test
  void eachNumberDoesWhatItsOperationDoes() {
    AddressSpace memory = new AddressSpace(1L << 24);
    try (Engine engine = new Engine(memory, 1, Execution.INTERPRETED)) {
      KernelCode kernel = Objects.requireNonNull(LoadedModule.load(ptx(), memory).kernel("k"));
      Allocation in = memory.allocate(64L * LANES, 256, "operands");
      Allocation out = memory.allocate(8L * BODY.length * LANES, 256, "results");
      for (long seed = 1; seed <= 20; seed++) {
        fill(in, new Random(seed));
        long[] quick = run(engine, kernel, in, out);
        engine.observe((launch, counts) -> {});
        long[] reference = run(engine, kernel, in, out);
        engine.observe(null);
        for (int k = 0; k < quick.length; k++) {
          assertThat(quick[k])
              .as("seed %d, lane %d, %s", seed, k / BODY.length, BODY[k % BODY.length])
              .isEqualTo(reference[k]);
        }
      }
    }
  }

  /** Numbers of all sizes, some equal to each other, and floats that are none. */
  private static void fill(Allocation in, Random random) {
    ByteBuffer bytes = ByteBuffer.allocate(64 * LANES).order(ByteOrder.LITTLE_ENDIAN);
    for (int lane = 0; lane < LANES; lane++) {
      int at = 64 * lane;
      for (int k = 0; k < 3; k++) {
        float any = Float.intBitsToFloat(random.nextInt());
        bytes.putFloat(at + 4 * k, random.nextBoolean() ? any : random.nextFloat());
        bytes.putInt(at + 12 + 4 * k, random.nextInt() >> random.nextInt(32));
      }
      if (random.nextBoolean()) {
        bytes.putInt(at + 20, bytes.getInt(at + 12));
      }
      bytes.putLong(at + 24, random.nextLong());
      bytes.putLong(at + 32, random.nextLong());
      bytes.putShort(at + 40, (short) random.nextInt());
    }
    MemorySegment.copy(
        bytes.array(), 0, HostMemory.ALL, ValueLayout.JAVA_BYTE, in.host(), 64 * LANES);
  }

  private static long[] run(Engine engine, KernelCode kernel, Allocation in, Allocation out) {
    MemorySegment results = HostMemory.ALL.asSlice(out.host(), out.size());
    results.fill((byte) 0x55);
    byte[] parameters =
        ByteBuffer.allocate(16)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(in.base())
            .putLong(out.base())
            .array();
    engine.run(new LaunchRequest(kernel, Dim3.of(1), Dim3.of(LANES), 0, parameters));
    return results.toArray(ValueLayout.JAVA_LONG);
  }

  /** So that the comparison leaves none out. */
  @Test
  void allNumbersAreCompared() {
    DecodedKernel kernel =
        new ModuleDecoder(PtxParser.parse(ptx()), Map.of(), Map.of()).kernels().getFirst();
    Set<Integer> seen =
        Arrays.stream(kernel.program().code())
            .map(op -> op.code)
            .filter(code -> code != Interpreter.OTHER)
            .collect(Collectors.toCollection(TreeSet::new));
    long numbers =
        Arrays.stream(Interpreter.class.getDeclaredFields())
            .filter(field -> field.getType() == int.class && !field.getName().equals("OTHER"))
            .count();
    assertThat(numbers).isGreaterThan(30);
    assertThat(seen)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, (int) numbers).boxed().toList());
  }
}
