package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.ElementType;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.Symbol;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.KernelVariant.Product.Form;
import dev.reprise.kernels.variant.TunableShape;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Products with weight matrices: {@code y[row][o] = Σ W[o][i] · x[row][i]}.
 *
 * <p>Four kernels a weight type: <i>wide</i> (16 outputs a warp), <i>narrow</i> (4 outputs a warp,
 * for few outputs on many multiprocessors), <i>split</i> (split-K: 4 outputs a block, whose warps
 * share the dot product) and <i>any</i> (row lengths that leave rows of W unaligned). The first
 * three give the same bits, whatever their warps and rows of a block, and which of them or
 * <i>any</i> runs never depends on the bits of a row: the choice between aligned and not follows
 * from {@code in}.
 */
public final class MatMul {

  private static final int WARPS = 4;
  private static final int MOST_WARPS = 8;
  private static final int ROW_TILE = 4;
  private static final int WIDE = 16;
  private static final int NARROW = 4;

  /** Elements of a dot product that are summed before they are added to the rest. */
  private static final int CHUNK = 1024;

  static final List<KernelContract> CONTRACTS =
      Arrays.stream(WeightType.values())
          .flatMap(type ->
              Stream.of(
                  aligned(type, Form.WIDE),
                  aligned(type, Form.NARROW),
                  aligned(type, Form.SPLIT),
                  unaligned(type)))
          .toList();

  private final Kernels kernels;
  private final int multiprocessors;

  MatMul(Kernels kernels, int multiprocessors) {
    this.kernels = kernels;
    this.multiprocessors = multiprocessors;
  }

  private static String name(WeightType type, Form form) {
    return "matmul_%s_%s".formatted(type.suffix(), form.label());
  }

  /** Weights in a vector of 16 bytes; also what {@code in} must be a multiple of. */
  private static int vector(WeightType type) {
    return 16 / type.bytes();
  }

  private static ContractBuilder arrays(WeightType type, Form form) {
    return KernelContract.of(name(type, form), "matmul")
        .summary("y[row][o] = sum over i of W[o][i] * x[row][i]")
        .reads("w", type.element(), "weights", "out", "in")
        .reads("x", F32, "activations", "rows", "in")
        .writes("y", F32, "products", "rows", "out")
        .padding("as any row; nothing but the row itself is touched");
  }

  private static KernelContract aligned(WeightType type, Form form) {
    int vector = vector(type);
    return arrays(type, form)
        .integer("rows", 1, Limits.ROWS, "rows of the bucket")
        .integer("in", vector, Limits.WIDTH, "length of a dot product")
        .integer("out", form == Form.WIDE ? WIDE : 1, Integer.MAX_VALUE - 64, "outputs a row")
        .integer("rowTile", 1, ROW_TILE, Symbol.Form.POWER_OF_TWO, "rows a block does at a time")
        .extent("warps", 1, MOST_WARPS, Symbol.Form.POWER_OF_TWO, "warps of a block")
        .require(
            "in is a multiple of %d, so that rows of W start on 16 bytes".formatted(vector),
            b -> b.get("in") % vector == 0)
        .arithmetic(
            ("f32 accumulator; in chunks of %d elements, added in order; in a chunk lane c of eight"
                    + " takes vectors c, c+8, c+16, … of %d elements with one fused multiply-add an"
                    + " element, then lanes are paired by distance 4, 2, 1: fixed by in alone;"
                    + " wide, narrow and split give the same bits")
                .formatted(CHUNK, vector))
        .geometry(
            "%s, a block row for rowTile rows"
                .formatted(
                    form == Form.SPLIT
                        ? "4 outputs a block"
                        : (form == Form.WIDE ? WIDE : NARROW) + " outputs a warp"),
            b ->
                LaunchConfig.of(1, b.getInt("warps") * 32)
                    .withGrid(
                        Limits.divideUp(b.get("out"), outputsPerBlock(form, b.get("warps"))),
                        Limits.divideUp(b.get("rows"), b.get("rowTile")),
                        1))
        .build();
  }

  private static long outputsPerBlock(Form form, long warps) {
    return switch (form) {
      case WIDE -> WIDE * warps;
      case NARROW, ANY -> NARROW * warps;
      case SPLIT -> NARROW;
    };
  }

  private static KernelContract unaligned(WeightType type) {
    return arrays(type, Form.ANY)
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .integer("in", 1, Limits.WIDTH, "length of a dot product")
        .integer("out", 1, Integer.MAX_VALUE - 64, "outputs a row")
        .extent("warps", 1, MOST_WARPS, Symbol.Form.POWER_OF_TWO, "warps of a block")
        .arithmetic(
            "f32 accumulator; lane c of eight takes elements c, c+8, … by fused multiply-adds, then"
                + " lanes are paired by distance 4, 2, 1: fixed by in alone")
        .geometry(
            "4 outputs a warp, a block row for each row",
            b ->
                LaunchConfig.of(1, b.getInt("warps") * 32)
                    .withGrid(
                        Limits.divideUp(b.get("out"), outputsPerBlock(Form.ANY, b.get("warps"))),
                        b.getInt("rows"),
                        1))
        .build();
  }

  /**
   * {@code y[row][o] = Σ W[o][i] · x[row][i]}, by the variant that the kernels have for the shape.
   *
   * @param type type of the weights
   * @param w {@code [out][in]}
   * @param x f32 {@code [rows][in]}
   * @param y f32 {@code [rows][out]}
   */
  public PreparedLaunch multiply(
      WeightType type, Span w, Span x, Span y, int rows, int in, int out) {
    TunableShape.Product shape = new TunableShape.Product(type.element(), rows, in, out);
    return multiply(
        kernels.choose(shape, KernelVariant.Product.class, () -> standard(shape)),
        type,
        w,
        x,
        y,
        rows,
        in,
        out);
  }

  /**
   * The same by a variant.
   *
   * @throws IllegalArgumentException when the variant is not one for the shape
   */
  public PreparedLaunch multiply(
      KernelVariant.Product variant,
      WeightType type,
      Span w,
      Span x,
      Span y,
      int rows,
      int in,
      int out) {
    Form form = variant.form();
    if ((form == Form.ANY) != unaligned(type.element(), in)) {
      throw new IllegalArgumentException(
          "Kernel %s: it is %s row lengths that are multiples of %d, and in is %d."
              .formatted(name(type, form), form == Form.ANY ? "not for" : "for", vector(type), in));
    }
    Invocation launch =
        kernels
            .invoke(name(type, form))
            .set("rows", rows)
            .set("in", in)
            .set("out", out)
            .set("warps", variant.warps());
    if (form != Form.ANY) {
      launch.set("rowTile", variant.rowsPerBlock());
    }
    return launch.span("w", w).span("x", x).span("y", y).prepare();
  }

  private static boolean unaligned(ElementType weights, int in) {
    return in % (16 / weights.bytes()) != 0;
  }

  /** The variant of a shape for which none was chosen. */
  public KernelVariant.Product standard(TunableShape.Product shape) {
    if (unaligned(shape.weights(), shape.in())) {
      return new KernelVariant.Product(Form.ANY, WARPS, 1);
    }
    long warps =
        (long) Limits.divideUp(shape.out(), WIDE) * Limits.divideUp(shape.rows(), ROW_TILE);
    boolean wide = shape.out() >= WIDE && warps >= 4L * multiprocessors;
    return new KernelVariant.Product(wide ? Form.WIDE : Form.NARROW, WARPS, ROW_TILE);
  }

  /**
   * The variants that are worth trying for a shape, all of which give the same bits; the standard
   * one first.
   */
  public List<KernelVariant.Product> variants(TunableShape.Product shape) {
    Set<KernelVariant.Product> variants = new LinkedHashSet<>();
    variants.add(standard(shape));
    for (int warps : new int[] {2, WARPS, MOST_WARPS}) {
      if (unaligned(shape.weights(), shape.in())) {
        variants.add(new KernelVariant.Product(Form.ANY, warps, 1));
        continue;
      }
      for (int rows = ROW_TILE; rows >= 1; rows /= 2) {
        // Fewer rows a block than there are: W is read more often, by more warps.
        if (rows == ROW_TILE || rows < shape.rows()) {
          if (shape.out() >= WIDE) {
            variants.add(new KernelVariant.Product(Form.WIDE, warps, rows));
          }
          variants.add(new KernelVariant.Product(Form.NARROW, warps, rows));
          if (shape.in() > CHUNK) {
            variants.add(new KernelVariant.Product(Form.SPLIT, warps, rows));
          }
        }
      }
    }
    return List.copyOf(variants);
  }
}
