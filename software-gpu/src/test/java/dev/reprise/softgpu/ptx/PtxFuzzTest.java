package dev.reprise.softgpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.engine.LoadedModule;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Text that no compiler wrote is refused with a line, in bounded time and memory. The property
 * {@code reprise.fuzz.seconds} makes each kind of damage run that long.
 */
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PtxFuzzTest {
  private static final String[] SOURCES = {
    "language_100.ptx", "cooperative_75.ptx", "tensor_90.ptx", "vecadd.ptx", "matvec.ptx"
  };

  private static final String[] TOKENS = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "-",
    "+",
    "<",
    ">",
    "=",
    ".",
    "0",
    "-1",
    "0x7fffffffffffffff",
    "18446744073709551615",
    "99999999999999999999",
    "2147483648",
    "0f",
    "0f7fffffff",
    "0d7ff0000000000000",
    "1e999",
    ".b32",
    ".b128",
    ".f64",
    ".pred",
    ".v4",
    ".param",
    ".shared",
    ".local",
    ".global",
    ".const",
    ".reg",
    ".align",
    ".func",
    ".entry",
    ".loc",
    ".file",
    ".section",
    ".pragma",
    ".extern",
    ".alias",
    ".callprototype",
    ".branchtargets",
    "%r1",
    "%rd1",
    "%p1",
    "%f1",
    "_",
    "ret",
    "bra",
    "call",
    "mov",
    "ld",
    "st",
    "cvt",
    "add",
    "setp",
    "mma",
    "wmma",
    "cp",
    "mbarrier",
    "atom",
    "shfl",
    "bar",
    "brx",
    ".idx",
    ".sync",
    ".aligned",
    ".m16n8k16",
    "\"",
    "/*",
    "//",
    "$L__BB0_1",
    "%tid.x",
    "\u00e9",
    "\0",
    "a.b.c",
    "%r<1000000000>"
  };

  /** Ways to damage a text. */
  enum Damage {
    BYTES {
      @Override
      String apply(String text, Random r) {
        byte[] b = new byte[r.nextInt(400)];
        r.nextBytes(b);
        String noise = new String(b, StandardCharsets.ISO_8859_1);
        return r.nextBoolean() ? noise : ".version 8.0\n.target sm_80\n.address_size 64\n" + noise;
      }
    },
    TRUNCATION {
      @Override
      String apply(String text, Random r) {
        return text.substring(0, r.nextInt(text.length()));
      }
    },
    CHARACTERS {
      @Override
      String apply(String text, Random r) {
        StringBuilder s = new StringBuilder(text);
        for (int k = 1 + r.nextInt(4); k > 0; k--) {
          s.setCharAt(
              r.nextInt(s.length()),
              (char) (r.nextInt(20) == 0 ? r.nextInt(256) : 32 + r.nextInt(95)));
        }
        return s.toString();
      }
    },
    TOKENS_CHANGED {
      @Override
      String apply(String text, Random r) {
        List<String> tokens = new ArrayList<>(Arrays.asList(text.split("(?<=\\W)|(?=\\W)", -1)));
        for (int k = 1 + r.nextInt(5); k > 0; k--) {
          int at = r.nextInt(tokens.size());
          switch (r.nextInt(4)) {
            case 0 -> tokens.remove(at);
            case 1 -> tokens.add(at, TOKENS[r.nextInt(TOKENS.length)]);
            case 2 -> tokens.set(at, TOKENS[r.nextInt(TOKENS.length)]);
            default -> tokens.set(at, tokens.get(r.nextInt(tokens.size())));
          }
        }
        return String.join("", tokens);
      }
    },
    LINES_CHANGED {
      @Override
      String apply(String text, Random r) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        for (int k = 1 + r.nextInt(6); k > 0; k--) {
          int at = r.nextInt(lines.size());
          switch (r.nextInt(3)) {
            case 0 -> lines.remove(at);
            case 1 -> lines.add(at, lines.get(r.nextInt(lines.size())));
            default -> lines.set(at, lines.get(r.nextInt(lines.size())));
          }
        }
        return String.join("\n", lines);
      }
    },
    NUMBERS {
      @Override
      String apply(String text, Random r) {
        String[] absurd = {
          "0",
          "-1",
          "4294967296",
          "2147483647",
          "9223372036854775807",
          "18446744073709551615",
          "1000000007",
          "33",
          "65",
          "0x80000000"
        };
        List<String> parts = new ArrayList<>(Arrays.asList(text.split("(?<![\\w.%$])(?=\\d)", -1)));
        for (int k = 1 + r.nextInt(4); k > 0; k--) {
          int at = r.nextInt(parts.size());
          parts.set(at, parts.get(at).replaceFirst("^\\w+", absurd[r.nextInt(absurd.length)]));
        }
        return String.join("", parts);
      }
    },
    NESTING {
      @Override
      String apply(String text, Random r) {
        String[] open = {
          "{", "(", "[", "{.reg .b32 %x;", "-", "!", "@", "=", "0f3f800000,", "{{{{", "|"
        };
        int at = r.nextInt(text.length());
        return text.substring(0, at)
            + open[r.nextInt(open.length)].repeat(1 << r.nextInt(17))
            + text.substring(at);
      }
    };

    abstract String apply(String text, Random r);
  }

  private static String resource(String name) {
    try (InputStream in = LoadedModule.class.getResourceAsStream(name)) {
      return new String(
          java.util.Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesDamagedText(Damage damage) {
    List<String> texts = Arrays.stream(SOURCES).map(PtxFuzzTest::resource).toList();
    long seconds = Long.getLong("reprise.fuzz.seconds", 0);
    long first = Long.getLong("reprise.fuzz.seed", 1);
    long end = System.nanoTime() + seconds * 1_000_000_000;
    int rounds = damage == Damage.BYTES ? 400 : 60;
    try (AddressSpace memory = new AddressSpace(64L << 20)) {
      for (long seed = first; seed < first + rounds || System.nanoTime() < end; seed++) {
        Random r = new Random(seed);
        String text = damage.apply(texts.get(r.nextInt(texts.size())), r);
        try {
          LoadedModule.load(text, memory).unload();
        } catch (PtxException e) {
          assertThat(e.line()).as("%s, seed %d", damage, seed).isPositive();
        } catch (OutOfDeviceMemoryException e) {
          assertThat(e).hasMessageContaining("variable");
        } catch (RuntimeException | Error e) {
          throw new AssertionError(damage + ", seed " + seed + ": " + e, e);
        }
        assertThat(memory.usedBytes()).as("%s, seed %d", damage, seed).isZero();
      }
    }
  }
}
