package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DiagnosisJsonTest {

  private static JsonNode json(NvidiaSigns signs, DriverFacts driver, DeviceFacts... devices) {
    String line = DiagnosisJson.line(Facts.diagnosis(signs, driver, devices));
    assertThat(line).doesNotContain("\n");
    return JsonMapper.shared().readTree(line);
  }

  @Test
  void holdsTheFactsOfEverySubject() {
    JsonNode json =
        json(
            Facts.SIGNS,
            Facts.taken(
                Facts.cuda(12020, Facts.lacking(new Missing("cuGraphAddNode_v2", 12030, true))),
                Facts.CUDA),
            Facts.device());
    assertThat(json.at("/can_run").asBoolean()).isTrue();
    assertThat(json.at("/java/feature").asInt()).isEqualTo(25);
    assertThat(json.at("/java/new_enough").asBoolean()).isTrue();
    assertThat(json.at("/host/nvidia/device_nodes/0").asString()).isEqualTo("/dev/nvidia0");
    assertThat(json.at("/native_access/enabled/dev.reprise.bindings").asBoolean()).isTrue();
    assertThat(json.at("/native_access/flag").asString())
        .isEqualTo("--enable-native-access=dev.reprise.bindings");
    assertThat(json.at("/driver/origin").asString()).isEqualTo("default");
    assertThat(json.at("/driver/attempts/0/outcome").asString()).isEqualTo("taken");
    assertThat(json.at("/driver/library/cuda_version").asString()).isEqualTo("12.2");
    assertThat(json.at("/driver/library/functions_found").asInt()).isEqualTo(412);
    JsonNode missing = json.at("/driver/library/functions_missing/0");
    assertThat(missing.at("/function").asString()).isEqualTo("cuGraphAddNode_v2");
    assertThat(missing.at("/needs_cuda").asString()).isEqualTo("12.3");
    assertThat(missing.at("/newer_than_driver").asBoolean()).isTrue();
    JsonNode device = json.at("/devices/0");
    assertThat(device.at("/usable").asBoolean()).isTrue();
    assertThat(device.at("/name").asString()).isEqualTo("NVIDIA H200");
    assertThat(device.at("/memory_total_bytes").asLong()).isEqualTo(141 * Facts.GIB);
    assertThat(device.at("/multiprocessors").asInt()).isEqualTo(132);
    assertThat(device.at("/managed_memory").isBoolean()).isTrue();
    assertThat(json.at("/settings/0/value").asString()).isEqualTo("5");
    assertThat(json.at("/problems").isEmpty()).isTrue();
  }

  @Test
  void whatIsNotKnownIsNull() {
    JsonNode json = json(Facts.NO_SIGNS, Facts.nothing(null, Facts.NO_DEVICE));
    assertThat(json.at("/can_run").asBoolean()).isFalse();
    assertThat(json.at("/driver/library").isNull()).isTrue();
    assertThat(json.at("/driver/attempts/0/init_result").asInt()).isEqualTo(100);
    assertThat(json.at("/devices").isEmpty()).isTrue();
    assertThat(json.at("/problems/0/severity").asString()).isEqualTo("error");
    assertThat(json.at("/problems/0/what").asString()).contains("sees no device");
    assertThat(json.at("/problems/0/fix").asString()).contains("--gpus all");
    JsonNode closed =
        json(
            Facts.SIGNS,
            Facts.taken(Facts.cuda(0, Facts.complete()), Facts.CUDA),
            Facts.closed("it is held"));
    assertThat(closed.at("/driver/library/cuda_version").isNull()).isTrue();
    assertThat(closed.at("/devices/0/name").isNull()).isTrue();
    assertThat(closed.at("/devices/0/open_failure").asString()).isEqualTo("it is held");
  }
}
