package dev.reprise.softgpu.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text form of a plan. */
class FaultPlanTest {

  @Test
  void everyPartOfTheGrammarIsRead() {
    FaultPlan plan =
        FaultPlan.parse(
            " cuMemAlloc_v2#3=CUDA_ERROR_OUT_OF_MEMORY; *#17=999;cuLaunchKernel#2=719@work ; cuMemFree_v2#4+=1; cuEventRecord#2-5 = 400; memory = 64MiB;");
    assertThat(plan.rules())
        .containsExactly(
            FaultRule.call("cuMemAlloc_v2", 3, 2),
            FaultRule.call("*", 17, 999),
            FaultRule.work("cuLaunchKernel", 2, 719),
            FaultRule.callsFrom("cuMemFree_v2", 4, 1),
            new FaultRule("cuEventRecord", 2, 5, 400, FaultRule.What.CALL));
    assertThat(plan.memoryBytes()).isEqualTo(64L << 20);
  }

  @Test
  void aPlanIsReadFromItsOwnText() {
    FaultPlan plan =
        FaultPlan.of(
                FaultRule.call("cuInit", 1, 100),
                FaultRule.callsFrom("*", 9, 2),
                new FaultRule("cuCtxSynchronize", 2, 7, 700, FaultRule.What.CALL),
                FaultRule.work("cuGraphLaunch", 1, 700))
            .withMemory(12345);
    assertThat(FaultPlan.parse(plan.toString())).isEqualTo(plan);
    assertThat(plan.toString())
        .isEqualTo(
            "cuInit#1=CUDA_ERROR_NO_DEVICE; *#9+=CUDA_ERROR_OUT_OF_MEMORY; cuCtxSynchronize#2-7=CUDA_ERROR_ILLEGAL_ADDRESS; cuGraphLaunch#1=CUDA_ERROR_ILLEGAL_ADDRESS@work; memory=12345");
  }

  @Test
  void nothingIsNoPlan() {
    assertThat(FaultPlan.parse("")).isEqualTo(FaultPlan.NONE);
    assertThat(FaultPlan.parse(" ; ")).isEqualTo(FaultPlan.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cuInit | it must be function#use=code or memory=bytes",
        "cuInit=2 | the use is missing: cuInit#1 is the first call",
        "cuInit#x=2 | 'x' tells no uses",
        "cuInit#=2 | '' tells no uses",
        "cuInit#0=2 | uses are counted from 1",
        "cuInit#5-3=2 | uses are counted from 1; 5 to 3 are none",
        "#1=2 | a rule names a function of the driver, or *",
        "cuInit#1=CUDA_ERROR_NO_SUCH | 'CUDA_ERROR_NO_SUCH' is no code",
        "cuInit#1= | '' is no code",
        "cuInit#1=0 | 0 is no error code",
        "cuInit#1=12345 | 12345 is no error code",
        "cuInit#1=99999999999 | 2147483647 is no error code",
        "cuLaunchKernel#1=2@work | work fails with a code that poisons",
        "memory=much | 'much' is no size",
        "memory=64 MB | '64 MB' is no size",
        "memory=999999999999999999GiB | more bytes than fit a long",
      })
  void whatIsWrongIsNamed(String text, String why) {
    assertThatThrownBy(() -> FaultPlan.parse("*#9=2; " + text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'" + text + "': ")
        .hasMessageContaining(why);
  }
}
