package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.ComputeCapability;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.Parameter;
import dev.reprise.kernels.contract.ResourceTable;
import dev.reprise.kernels.contract.ResourceUse;
import dev.reprise.kernels.contract.StatusBit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ContractTest {

  private static final Pattern ENTRY =
      Pattern.compile("\\.visible \\.entry (\\w+)\\(([^)]*)\\)", Pattern.DOTALL);
  private static final Pattern PARAMETER = Pattern.compile("\\.param \\.(\\w+) ");

  private final PtxVariant variant = PtxVariant.select(new ComputeCapability(9, 0));

  @Test
  void everyEntryPointHasAContractWithItsSignatureAndTheOtherWayRound() {
    Map<String, List<String>> signatures = new TreeMap<>();
    for (KernelContract contract : Kernels.contracts()) {
      List<String> types =
          contract.parameters().stream()
              .map(parameter ->
                  switch (parameter) {
                    case Parameter.Buffer buffer -> "u64";
                    case Parameter.Int integer -> "u32";
                    case Parameter.Real real -> "f32";
                  })
              .toList();
      assertThat(signatures.put(contract.module() + "/" + contract.name(), types)).isNull();
    }
    assertThat(signatures).isEqualTo(signaturesInPtx());
  }

  private Map<String, List<String>> signaturesInPtx() {
    Map<String, List<String>> signatures = new TreeMap<>();
    variant
        .modules()
        .forEach((module, ptx) -> {
          Matcher entry = ENTRY.matcher(ptx);
          while (entry.find()) {
            List<String> types = new ArrayList<>();
            Matcher parameter = PARAMETER.matcher(entry.group(2));
            while (parameter.find()) {
              types.add(parameter.group(1));
            }
            signatures.put(module + "/" + entry.group(1), types);
          }
        });
    return signatures;
  }

  @Test
  void everyContractSaysWhatItMust() {
    for (KernelContract contract : Kernels.contracts()) {
      assertThat(contract.summary()).as(contract.name()).isNotBlank();
      assertThat(contract.padding()).as(contract.name()).isNotBlank();
      assertThat(contract.arithmetic()).as(contract.name()).isNotBlank();
      assertThat(contract.geometry().text()).as(contract.name()).isNotBlank();
      assertThat(contract.mutatedBuffers()).as(contract.name()).isNotEmpty();
      assertThat(contract.mutatedBuffers().contains("status"))
          .as(contract.name())
          .isEqualTo(!contract.statusBits().isEmpty());
    }
    assertThat(Kernels.contracts())
        .filteredOn(contract -> contract.rngPosition().isPresent())
        .extracting(KernelContract::name)
        .containsExactly("sample_rows");
  }

  @Test
  void everyKernelHasItsResourceUseAndNoneSpills() {
    for (KernelContract contract : Kernels.contracts()) {
      assertThat(contract.resources())
          .extracting(ResourceUse::device)
          .as(contract.name())
          .containsExactly("sm_100", "sm_75", "sm_80", "sm_90");
      assertThat(contract.resources())
          .allSatisfy(use -> {
            assertThat(use.module()).isEqualTo(contract.module());
            assertThat(use.registers()).isBetween(1, 255);
            assertThat(use.sharedBytes()).isLessThanOrEqualTo(48 << 10);
            assertThat(use.spillStoreBytes() + use.spillLoadBytes() + use.stackBytes()).isZero();
          });
    }
    assertThat(ResourceTable.load().all()).hasSize(4 * Kernels.contracts().size());
  }

  @Test
  void theReadmeListsTheResourceUse() throws Exception {
    Path readme = Path.of(System.getProperty("reprise.root"), "native", "README.md");
    List<String> listed =
        Files.readAllLines(readme).stream()
            .filter(line -> line.startsWith("| `") && line.contains(".cu` | "))
            .filter(line -> !line.contains("src/main"))
            .toList();
    List<String> expected = new ArrayList<>();
    for (KernelContract contract : Kernels.contracts()) {
      Map<String, ResourceUse> uses = new TreeMap<>();
      contract.resources().forEach(use -> uses.put(use.device(), use));
      String registers =
          Stream.of("sm_75", "sm_80", "sm_90", "sm_100")
              .map(device -> Integer.toString(Objects.requireNonNull(uses.get(device)).registers()))
              .collect(Collectors.joining(" / "));
      expected.add(
          "| `%s` | `%s.cu` | %s | %d | %d |"
              .formatted(
                  contract.name(),
                  contract.module(),
                  registers,
                  contract.resources().getFirst().sharedBytes(),
                  contract.resources().stream()
                      .mapToInt(
                          use -> use.stackBytes() + use.spillStoreBytes() + use.spillLoadBytes())
                      .sum()));
    }
    assertThat(listed).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void indexOfIsTheOrderOfTheSignature() {
    KernelContract contract = Kernels.contract("rms_norm");
    assertThat(contract.indexOf("x")).isZero();
    assertThat(contract.indexOf("eps")).isEqualTo(4);
    assertThatThrownBy(() -> contract.indexOf("y"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rms_norm")
        .hasMessageContaining("'y'");
  }

  @Test
  void anOlderDeviceIsRefusedByName() {
    assertThatThrownBy(() -> PtxVariant.select(new ComputeCapability(7, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("7.5")
        .hasMessageContaining("7.0");
  }

  @Test
  void ptxLoadsOnCuda12DriversAndHasNoPathsInIt() {
    variant
        .modules()
        .forEach((module, ptx) ->
            assertThat(ptx)
                .as(module)
                .contains(".version 8.0\n.target sm_75\n")
                .doesNotContain(".file")
                .doesNotContain("/home/")
                .doesNotContain("/tmp/"));
  }

  @Test
  void statusWordsAreDecodedAndUnknownBitsRefused() {
    assertThat(StatusBit.decode(0)).isEmpty();
    assertThat(StatusBit.decode(16 | 4))
        .containsExactly(StatusBit.BLOCK_OUT_OF_POOL, StatusBit.NOTHING_TO_SAMPLE);
    assertThatThrownBy(() -> StatusBit.decode(1 << 20)).hasMessageContaining("0x100000");
  }
}
