package dev.reprise.benchmarks.softgpu;

/** Instructions that are measured together, as the body of a loop over {@code %n}. */
public enum Mix {
  /** Single precision, integers, a comparison and a selection; registers only. */
  ARITHMETIC(
      16,
      """
      fma.rn.f32 %f1, %f1, %f2, %f3;
      add.s32 %r1, %r1, %r2;
      shl.b32 %r3, %r1, 3;
      xor.b32 %r2, %r2, %r3;
      mul.lo.s32 %r4, %r2, %r1;
      setp.lt.s32 %p1, %r4, %r1;
      selp.b32 %r5, %r4, %r3, %p1;
      add.f32 %f2, %f2, %f1;
      """),

  /**
   * A load and a store of 4 bytes, each lane beside the next, and what it takes to compute them.
   */
  STREAMING(
      4,
      """
      ld.global.f32 %f1, [%a+#];
      fma.rn.f32 %f2, %f1, %f3, %f2;
      st.global.f32 [%a+#], %f2;
      """),

  /** Vectors of four from two places and their product, as in a product of a matrix. */
  DOT(
      16,
      """
      ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%a+#];
      ld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%b+#];
      fma.rn.f32 %f9, %f1, %f5, %f9;
      fma.rn.f32 %f9, %f2, %f6, %f9;
      fma.rn.f32 %f9, %f3, %f7, %f9;
      fma.rn.f32 %f9, %f4, %f8, %f9;
      """);

  /** How often the instructions follow each other in the loop. */
  static final int REPEATED = 8;

  /**
   * Rounds of the loop: a launch takes milliseconds, so that to begin and to wait for it is little.
   */
  static final int ROUNDS = 2000;

  static final int WARPS = 16;

  /** Bytes from what a repetition accesses to what the next does. */
  private static final int STEP = 128;

  private final int stride;
  private final String instructions;

  /**
   * @param stride bytes from the first address of a thread to that of the next
   */
  Mix(int stride, String instructions) {
    this.stride = stride;
    this.instructions = instructions;
  }

  /** Instructions of all warps in one launch, those of the loop itself included. */
  long warpInstructions() {
    long body = instructions.lines().count() * REPEATED + 5;
    return body * ROUNDS * WARPS;
  }

  /** A kernel {@code mix} whose parameter is the address of 1 MiB. */
  String ptx() {
    return """
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry mix(.param .u64 memory) {
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .f32 %f<10>; .reg .b64 %a, %b, %c; .reg .b32 %n, %t;
    ld.param.u64 %c, [memory]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, STRIDE; add.s64 %c, %c, %a;
    mov.u32 %n, 0; mov.u32 %r1, %t; mov.u32 %r2, 77; mov.f32 %f2, 0f3f800000; mov.f32 %f3, 0f3f000000; mov.f32 %f1, 0f00000000;
    mov.f32 %f9, 0f00000000; mov.u32 %r5, 0;
    LOOP:
    mov.u64 %a, %c;
    add.s64 %b, %c, 65536;
    """
            .replace("STRIDE", String.valueOf(stride))
        + body()
        + """
        add.s32 %n, %n, 1; setp.lt.s32 %p2, %n, ROUNDS; @%p2 bra LOOP;
        cvt.rn.f32.s32 %f3, %r5; add.f32 %f3, %f3, %f2; add.f32 %f3, %f3, %f9; st.global.f32 [%c], %f3; ret; }
        """
            .replace("ROUNDS", String.valueOf(ROUNDS));
  }

  private String body() {
    StringBuilder all = new StringBuilder();
    for (int k = 0; k < REPEATED; k++) {
      all.append(instructions.replace("#", String.valueOf(k * STEP)));
    }
    return all.toString();
  }
}
