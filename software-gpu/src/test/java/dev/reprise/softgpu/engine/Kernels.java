package dev.reprise.softgpu.engine;

import java.util.Objects;

/** Hand-written PTX kernels for tests. */
final class Kernels {
  private Kernels() {}

  /**
   * A module with one kernel {@code k}; {@code parameters} as in PTX, {@code body} without {@code
   * ret}.
   */
  static String text(String parameters, String body) {
    return text("", parameters, body);
  }

  static String text(String variables, String parameters, String body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n"
        + variables
        + "\n.visible .entry k("
        + parameters
        + ")\n{\n"
        + ".reg .pred %p<20>; .reg .b32 %r<60>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .f64 %fd<10>; .reg .b16 %rs<10>;\n"
        + body
        + "\nret;\n}\n";
  }

  static KernelCode load(Device device, String parameters, String body) {
    return Objects.requireNonNull(device.load(text(parameters, body)).kernel("k"));
  }

  /**
   * Loads parameter {@code out} and puts the address of the thread's own 32-bit slot into {@code
   * %rd1}, its number into {@code %r1}.
   */
  static final String OWN_SLOT =
      """
      ld.param.u64 %rd1, [out];
      mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
      mad.lo.s32 %r1, %r2, %r3, %r1;
      mad.wide.u32 %rd1, %r1, 4, %rd1;
      """;
}
