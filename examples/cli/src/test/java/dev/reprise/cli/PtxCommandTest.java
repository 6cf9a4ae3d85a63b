package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PtxCommandTest {
  private static final String NUMBERS = "0000803f000000400000404000008040";
  private static final String PTX =
      """
      .version 8.0
      .target sm_75
      .address_size 64
      .global .align 4 .u32 count;
      .visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
      {
        .reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<3>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [data];
        ld.param.f32 %f1, [factor];
        ld.param.u32 %r1, [n];
        mov.u32 %r2, %tid.x;
        setp.ge.u32 %p, %r2, %r1;
        @%p ret;
        mul.wide.u32 %rd2, %r2, 4;
        add.s64 %rd3, %rd1, %rd2;
        ld.global.f32 %f2, [%rd3];
        mul.rn.f32 %f2, %f2, %f1;
        st.global.f32 [%rd3], %f2;
        ret;
      }
      .visible .entry counted(.param .u64 out)
      {
        .reg .b32 %r<3>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [out];
        ld.global.u32 %r1, [count];
        add.u32 %r1, %r1, 1;
        st.global.u32 [count], %r1;
        st.global.u32 [%rd1], %r1;
        ret;
      }
      .visible .entry forever() { again: bra again; }
      """;

  @TempDir private Path folder;
  private Path ptx = Path.of("");

  @BeforeEach
  void write() throws IOException {
    ptx = Files.writeString(folder.resolve("k.ptx"), PTX);
  }

  private static CommandRun ptx(String... arguments) {
    List<String> all = new ArrayList<>(List.of("ptx"));
    all.addAll(List.of(arguments));
    CommandRun run = CommandRun.withoutEngine(all.toArray(String[]::new));
    assertThat(run.out() + run.err()).doesNotContain("\tat ");
    return run;
  }

  private CommandRun scale(String... more) {
    List<String> all = new ArrayList<>(List.of("run", ptx.toString(), "--kernel", "scale"));
    all.addAll(List.of(more));
    return ptx(all.toArray(String[]::new));
  }

  @Test
  void aRunPrintsWhatTheKernelWrote() {
    CommandRun run =
        scale(
            ("--grid 1 --block 4 --sanitize --arg inout:" + NUMBERS + " --arg f32:2.5 --arg u32:3")
                .split(" "));
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().strip()).isEqualTo("argument 0: 000020400000a0400000f04000008040");
  }

  @Test
  void aProfileComesWithTheResult() {
    CommandRun run =
        scale(
            ("--grid 1 --block 4 --profile --json --arg inout:"
                    + NUMBERS
                    + " --arg f32:1 --arg u32:4")
                .split(" "));
    assertThat(run.code()).as(run.err()).isZero();
    JsonNode profile = JsonMapper.shared().readTree(run.out()).get("profile").get(0);
    assertThat(profile.get("kernel").stringValue()).isEqualTo("scale");
    assertThat(profile.get("flops").intValue()).isEqualTo(4);
    assertThat(profile.get("global_load_bytes").intValue()).isEqualTo(16);
    assertThat(profile.get("global_load_sectors").intValue()).isEqualTo(1);
  }

  @Test
  @PlantedMistake(kind = ReportKind.OUT_OF_BOUNDS, why = "the command shows it")
  void anIllegalAccessIsOneBlock() {
    CommandRun run =
        scale(
            ("--grid 1 --block 8 --arg inout:" + NUMBERS + " --arg f32:1 --arg u32:8").split(" "));
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines().toList())
        .hasSize(4)
        .startsWith("reprise ptx run: the launch failed with CUDA_ERROR_ILLEGAL_ADDRESS")
        .anyMatch(line -> line.startsWith("  illegal read of 4 bytes at 0x"))
        .contains("  in kernel scale, PTX line 16, block (0, 0, 0), thread (4, 0, 0)")
        .anyMatch(line -> line.startsWith("  nearest allocation: "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--grid 0 --block 4 | --grid must be X, X,Y or X,Y,Z with whole numbers from 1",
        "--grid 1,2,3,4 --block 4 | --grid must be X, X,Y or X,Y,Z",
        "--block 4 | --grid is missing",
        "--grid 1 --block 4 --shared -1 | --shared must be 0 or more bytes; it is -1",
        "--grid 1 --block 4 --arg in:abc | --arg \"in:abc\": two hex digits make a byte",
        "--grid 1 --block 4 --arg out:4 | kernel scale takes 3 arguments (u64, f32, u32), not 1",
        "--grid 1 --block 4 --arg out:4 --arg f64:1 --arg u32:1 | argument 1 of kernel scale is"
            + " f64:1 with 8 bytes; the parameter factor is f32 with 4",
        "--grid 1 --block 2000 --arg out:4 --arg f32:1 --arg u32:1 | Kernel scale allows blocks of"
            + " 1024 threads",
        "--grid 1 --block 4 --timeout 0 | --timeout must be above 0",
        "--grid 1 --block 4 --batch x.json | --batch takes FILE.ptx",
      })
  void whatIsAskedWronglyIsOneLineAndExitCodeTwo(String arguments, String message) {
    CommandRun run = scale(arguments.split(" "));
    assertThat(run.err()).startsWith("reprise ptx run: " + message);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aKernelThatIsNotThereSuggestsTheNearest() {
    CommandRun run = ptx("run", ptx.toString(), "--kernel", "scal", "--grid", "1", "--block", "1");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .startsWith(
            "reprise ptx run: there is no kernel \"scal\", did you mean scale?; the PTX has scale,"
                + " counted, forever");
  }

  @Test
  @PlantedMistake(kind = ReportKind.OUT_OF_BOUNDS, why = "a case that fails, in the middle")
  @PlantedMistake(kind = ReportKind.DEVICE_FAULT, why = "a case that never ends")
  void aBatchAnswersEachCaseInOrderWhateverBecomesOfTheOthers() throws IOException {
    Path cases =
        Files.writeString(
            folder.resolve("cases.json"),
            """
            [{"name":"first","ptx_path":"k.ptx","kernel":"scale","grid":"1","block":"4",
              "args":["inout:%1$s","f32:1","u32:4"]},
             {"name":"outside","ptx_path":"k.ptx","kernel":"scale","grid":1,"block":[8,1],
              "args":["inout:%1$s","f32:1","u32:8"]},
             {"name":"count","ptx_path":"k.ptx","kernel":"counted","grid":1,"block":1,
              "args":["out:4"]},
             {"name":"count again","ptx_path":"k.ptx","kernel":"counted","grid":1,"block":1,
              "args":["out:4"]},
             {"name":"endless","ptx_path":"k.ptx","kernel":"forever","grid":2,"block":64},
             {"name":"text","ptx":".version 8.0\\n.target sm_75\\n.entry k() { mov.u32 %%r1 5; }",
              "kernel":"k","grid":1,"block":1},
             {"name":"slip","ptx_path":"k.ptx","kernel":"forever","grid":1,"block":1,"arg":[]},
             7,
             {"name":"last","ptx_path":"k.ptx","kernel":"scale","grid":"1","block":"4",
              "args":["inout:%1$s","f32:0x1p-3","u32:4"]}]
            """
                .formatted(NUMBERS));
    CommandRun run = ptx("run", "--batch", cases.toString(), "--timeout", "0.2");
    assertThat(run.code()).as(run.err()).isEqualTo(1);
    JsonNode answers = JsonMapper.shared().readTree(run.out());
    List<String> seen = new ArrayList<>();
    for (JsonNode answer : answers) {
      seen.add(
          answer.get("name").stringValue()
              + " "
              + answer.get("ok").booleanValue()
              + " "
              + answer.get("outputs"));
    }
    assertThat(seen)
        .containsExactly(
            "first true [\"" + NUMBERS + "\"]",
            "outside false []",
            "count true [\"01000000\"]",
            "count again true [\"01000000\"]",
            "endless false []",
            "text false []",
            "slip false []",
            "case 7 false []",
            "last true [\"0000003e0000803e0000c03e0000003f\"]");
    assertThat(error(answers, 1)).startsWith("CUDA_ERROR_ILLEGAL_ADDRESS (700): illegal read of 4");
    assertThat(answers.get(1).get("reports").get(0).get("kind").stringValue())
        .isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
    assertThat(error(answers, 4)).startsWith("CUDA_ERROR_LAUNCH_TIMEOUT (702): kernel forever");
    assertThat(error(answers, 5)).endsWith("line 3, column 26: expected ';' but found '5'");
    assertThat(error(answers, 6)).isEqualTo("a case has no field \"arg\", did you mean args?");
    assertThat(answers.get(8).get("error").isNull()).isTrue();
  }

  private static String error(JsonNode answers, int index) {
    return answers.get(index).get("error").stringValue();
  }

  @Test
  void aBatchThatIsNoArrayIsRefused() throws IOException {
    Path cases = Files.writeString(folder.resolve("cases.json"), "{}");
    CommandRun run = ptx("run", "--batch", cases.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("must be a JSON array of cases");
    assertThat(ptx("run", "--batch", "none.json").code()).isEqualTo(2);
  }

  @Test
  void aCheckTellsWhatAFileUses() {
    CommandRun run = ptx("check", ptx.toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(ptx + ": PTX 8.0 for sm_75", "scale: u64 data (8), f32 factor (4), u32 n (4)")
        .endsWith("It loads." + System.lineSeparator());
  }

  @Test
  void aCheckListsAllThatIsWrong() throws IOException {
    Files.writeString(
        ptx, PTX + ".entry odd() {\n  frob.u32 %r1;\n  add.odd.f32 %r2, %r2, %r2;\n}\n");
    CommandRun run = ptx("check", ptx.toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .contains("It does not load:", "line 33, column 3: unsupported instruction frob.u32")
        .contains("line 34, column 3: ");
    JsonNode json = JsonMapper.shared().readTree(ptx("check", ptx.toString(), "--json").out());
    assertThat(json.get("loads").booleanValue()).isFalse();
    assertThat(json.get("problems").get(0).get("line").intValue()).isEqualTo(33);
  }

  @Test
  void aCheckAsksTheDriverAboutTheTarget() throws IOException {
    Files.writeString(ptx, ".version 9.0\n.target sm_100\n.address_size 64\n.entry k() { ret; }\n");
    CommandRun run = ptx("check", ptx.toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains("CUDA_ERROR_NO_BINARY_FOR_GPU (209): the PTX is for sm_100");
  }

  @Test
  void aFileThatIsMissingIsBadUsage() {
    CommandRun run = ptx("check", "none.ptx");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).startsWith("reprise ptx check: none.ptx: there is no such file");
  }

  @ParameterizedTest
  @CsvSource({"--help", "check --help", "run --help"})
  void helpHasExamples(String arguments) {
    CommandRun run = ptx(arguments.split(" "));
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("Examples:", "reprise ptx", "Exit codes:");
  }
}
