package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.NarrowFormat;

/**
 * Scale factors of the rows of a, 16, or of the columns of b, 8, as bytes in registers of some
 * lanes.
 *
 * @param left whether they are those of a
 * @param perLine factors of a row or column: 1, 2 or 4
 * @param powers whether a byte is a power of two (ue8m0), else a float without sign (ue4m3)
 * @param data int array
 * @param byteId int array with the number of the byte that holds the first factor
 * @param threadId int array with the number of the pair of lanes, for a, or of the lane, for b,
 *     among four that hold the factors
 * @param line PTX line of the instruction, {@code form}, for what is wrong
 */
public record ScaleFactors(
    boolean left,
    int perLine,
    boolean powers,
    int data,
    int byteId,
    int threadId,
    int line,
    String form) {

  /** Whether the selectors can have these values. */
  public boolean selects(int first, int thread) {
    return first >= 0
        && first + perLine <= 4
        && first % perLine == 0
        && thread >= 0
        && thread < threads();
  }

  /** What is wrong with values that the selectors cannot have. */
  public String wrong(int first, int thread) {
    String bytes = perLine == 1 ? "0 to 3" : perLine == 2 ? "0 or 2" : "0";
    return "the scale factors of %s have byte-id %d and thread-id %d; with %d to a %s these can be %s and 0 to %d"
        .formatted(
            left ? "a" : "b",
            first,
            thread,
            perLine,
            left ? "row" : "column",
            bytes,
            threads() - 1);
  }

  private int threads() {
    return left ? 2 : 4;
  }

  /** All factors of the first row or column, then those of the next. */
  double[] gather(Warp w, int set) {
    // The selectors are the same in all lanes.
    int any = Integer.numberOfTrailingZeros(set);
    int first = w.i[byteId][any] & 0xffff;
    int thread = w.i[threadId][any] & 0xffff;
    if (!selects(first, thread)) {
      throw new LaneFault(719, line, any, 0, String.format("%s: %s", form, wrong(first, thread)));
    }
    int lines = left ? 16 : 8;
    double[] factors = new double[lines * perLine];
    for (int line = 0; line < lines; line++) {
      int lane = line % 8 * 4 + (left ? 2 * thread + line / 8 : thread);
      int word = (set >>> lane & 1) != 0 ? w.i[data][lane] : 0;
      for (int k = 0; k < perLine; k++) {
        int bits = word >>> 8 * (first + k) & 0xff;
        factors[line * perLine + k] =
            powers ? NarrowFormat.decodePower(bits) : NarrowFormat.E4M3.decode(bits & 0x7f);
      }
    }
    return factors;
  }
}
