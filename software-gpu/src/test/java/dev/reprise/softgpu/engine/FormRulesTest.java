package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.ptx.PtxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Of combinations of types and modifiers of {@code cvt}, {@code fma}, {@code mma} and {@code
 * ldmatrix}, those are decoded that ptxas takes, which the lists of forms have, and no others.
 */
final class FormRulesTest {
  private static final List<String> SINGLE =
      List.of("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64");
  private static final List<String> SEVERAL =
      List.of(
          "f16x2", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "e3m2x2", "e2m3x2", "e2m1x2", "ue8m0x2");

  /** The form with its modifiers in one order, before the types. */
  private static String canonical(String form) {
    List<String> parts = Arrays.asList(form.split("\\.", -1));
    List<String> modifiers = parts.subList(1, parts.size());
    List<String> all = new ArrayList<>(List.of(parts.get(0)));
    modifiers.stream().filter(m -> !FormSamples.isType(m)).sorted().forEach(all::add);
    modifiers.stream().filter(FormSamples::isType).forEach(all::add);
    return String.join(".", all);
  }

  private static Set<String> listed() {
    Set<String> all = new HashSet<>();
    for (String list : List.of("instruction-forms.txt", "instruction-forms-isa.txt")) {
      Device.resource(list).lines().forEach(form -> all.add(canonical(form)));
    }
    return all;
  }

  private static void compare(List<String> forms) {
    Set<String> listed = listed();
    List<String> taken = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    int good = 0;
    try (Device device = new Device(1)) {
      for (String form : forms) {
        boolean should = listed.contains(canonical(form));
        good += should ? 1 : 0;
        try {
          device.load(FormSamples.kernel(form)).unload();
          if (!should) {
            taken.add(form);
          }
        } catch (PtxException e) {
          if (should) {
            refused.add(form + ": " + e.getMessage());
          }
        }
      }
    }
    assertThat(refused).as("refused").isEmpty();
    assertThat(taken).as("decoded, though ptxas refuses it").isEmpty();
    assertThat(good).isGreaterThan(30);
  }

  @Test
  void convertsSingleValuesAsPtxasDoes() {
    List<String> forms = new ArrayList<>();
    for (String to : SINGLE) {
      for (String from : SINGLE) {
        for (String rounding :
            List.of("", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi", ".rna")) {
          for (String rest :
              List.of(
                  "",
                  ".ftz",
                  ".sat",
                  ".ftz.sat",
                  ".relu",
                  ".satfinite",
                  ".satfinite.relu",
                  ".ftz.relu",
                  ".sat.satfinite",
                  ".ftz.satfinite")) {
            if (rest.contains("relu") || rest.contains("finite")) {
              // No combination of integers clamps so.
              if (!to.contains("f") || rounding.length() > 3) {
                continue;
              }
            }
            forms.add("cvt" + rounding + rest + "." + to + "." + from);
          }
        }
      }
    }
    compare(forms);
  }

  @Test
  void convertsSeveralValuesAsPtxasDoes() {
    List<String> forms = new ArrayList<>();
    List<String> results = new ArrayList<>(SEVERAL);
    results.addAll(List.of("f32", "f16", "bf16"));
    List<String> sources = new ArrayList<>(results);
    sources.add("f64");
    for (String to : results) {
      for (String from : sources) {
        if (SEVERAL.contains(to) || SEVERAL.contains(from)) {
          for (String rounding : List.of("", ".rn", ".rz", ".rm", ".rp", ".rna")) {
            for (String rest :
                List.of("", ".relu", ".satfinite", ".satfinite.relu", ".ftz", ".sat")) {
              forms.add("cvt" + rounding + rest + "." + to + "." + from);
            }
          }
        }
      }
    }
    for (String to : List.of("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2", "u32", "s32")) {
      for (String from : List.of(".s32", ".s32.b32", ".u32")) {
        forms.add("cvt.pack." + to + from);
        forms.add("cvt.pack.sat." + to + from);
      }
    }
    compare(forms);
  }

  @Test
  void fusesAsPtxasDoes() {
    List<String> forms = new ArrayList<>();
    for (String types :
        List.of(
            "f16",
            "f16x2",
            "bf16",
            "bf16x2",
            "f32",
            "f32x2",
            "f64",
            "f32.f16",
            "f32.bf16",
            "f16.f32",
            "f64.f32",
            "f32.f64")) {
      for (String rounding : List.of("", ".rn", ".rz", ".rm", ".rp", ".rni")) {
        for (String clamp : List.of("", ".sat", ".relu", ".sat.relu", ".satfinite")) {
          for (String rest : List.of("", ".ftz", ".oob", ".ftz.oob")) {
            forms.add("fma" + rounding + rest + clamp + "." + types);
          }
        }
      }
    }
    compare(forms);
  }

  private static List<String> products() {
    List<String> pairs = new ArrayList<>();
    for (String type :
        List.of(
            "f16", "bf16", "tf32", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "s8", "u8", "s4",
            "u4")) {
      pairs.add(type + "." + type);
    }
    pairs.addAll(
        List.of("e4m3.e5m2", "e3m2.e4m3", "e5m2.e2m1", "f16.bf16", "s8.u8", "u4.s4", "u8.s4"));
    return pairs;
  }

  @Test
  void multipliesAsPtxasDoes() {
    List<String> forms = new ArrayList<>();
    for (String variant : List.of("mma", "mma.sp", "mma.sp::ordered_metadata")) {
      for (int k : new int[] {4, 8, 16, 32, 64, 128}) {
        for (String kind : List.of("", ".kind::f8f6f4")) {
          for (String product : products()) {
            for (String sums : List.of("f32 f32", "f16 f16", "f16 f32", "f32 f16", "s32 s32")) {
              String[] type = sums.split(" ", 2);
              String form =
                  variant
                      + (".sync.aligned.m16n8k" + k + ".row.col" + kind + "." + type[0])
                      + ("." + product + "." + type[1]);
              forms.add(form);
              if (type[0].equals("s32")) {
                forms.add(form.replace(".col", ".col.satfinite"));
              }
            }
          }
        }
      }
    }
    compare(forms);
  }

  @Test
  void scalesAsPtxasDoes() {
    List<String> forms = new ArrayList<>();
    for (String variant : List.of("mma", "mma.sp", "mma.sp::ordered_metadata")) {
      for (int k : new int[] {32, 64, 128}) {
        for (String kind : List.of("mxf8f6f4", "mxf4", "mxf4nvf4")) {
          for (String factors : List.of("", ".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X")) {
            for (String scale : List.of("ue8m0", "ue4m3")) {
              for (String product : products()) {
                if (product.startsWith("e")) {
                  for (String sum : List.of("f32", "f16")) {
                    forms.add(
                        variant
                            + (".sync.aligned.m16n8k" + k + ".row.col.kind::" + kind)
                            + (".block_scale" + factors + "." + sum + "." + product + "." + sum)
                            + ("." + scale));
                  }
                }
              }
            }
          }
        }
      }
    }
    compare(forms);
  }

  @Test
  void movesMatricesAsPtxasDoes() {
    List<String> forms = new ArrayList<>();
    for (String operation : List.of("ldmatrix", "stmatrix")) {
      for (String shape : List.of("m8n8", "m16n16", "m8n16", "m16n8")) {
        for (String count : List.of(".x1", ".x2", ".x4")) {
          for (String rest : List.of("", ".trans", ".shared", ".trans.shared::cta", ".global")) {
            for (String type :
                List.of(".b16", ".b8", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64", ".b8x16")) {
              forms.add(operation + ".sync.aligned." + shape + count + rest + type);
            }
          }
        }
      }
    }
    compare(forms);
  }
}
