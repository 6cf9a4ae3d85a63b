package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class SettingFactTest {

  @Test
  void everySettingOfTheSoftwareGpuIsShown() throws ReflectiveOperationException {
    // The command does not know the software GPU, which is found as a service.
    List<String> names = new ArrayList<>();
    for (String holder : List.of("SoftwareGpuSettings", "rules.OpenRules", "profile.ProfileFile")) {
      int before = names.size();
      for (Field field : Class.forName("dev.reprise.softgpu." + holder).getDeclaredFields()) {
        if (Modifier.isPublic(field.getModifiers())
            && Modifier.isStatic(field.getModifiers())
            && field.getType() == String.class) {
          names.add((String) field.get(null));
        }
      }
      assertThat(names).as(holder).hasSizeGreaterThan(before);
    }
    assertThat(names).hasSizeGreaterThan(1);
    assertThat(SettingFact.collect(new Properties(), Map.of()))
        .extracting(SettingFact::name)
        .containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void thePropertyGoesBeforeTheVariable() {
    Properties properties = new Properties();
    properties.setProperty("REPRISE_SOFTGPU_WORKERS", "1");
    Map<String, String> environment =
        Map.of("REPRISE_SOFTGPU_WORKERS", "2", "REPRISE_SOFTGPU_MEMORY", "3");
    List<SettingFact> facts = SettingFact.collect(properties, environment);
    assertThat(facts)
        .filteredOn(fact -> fact.value() != null)
        .extracting(SettingFact::name, SettingFact::value, SettingFact::origin)
        .containsExactlyInAnyOrder(
            tuple("REPRISE_SOFTGPU_MEMORY", "3", "environment"),
            tuple("REPRISE_SOFTGPU_WORKERS", "1", "property"));
    assertThat(facts).filteredOn(fact -> fact.value() == null).allMatch(f -> f.origin() == null);
  }

  @Test
  void whatIsNotSetHasNoValue() {
    assertThat(SettingFact.collect(new Properties(), Map.of()))
        .allSatisfy(setting -> {
          assertThat(setting.value()).isNull();
          assertThat(setting.origin()).isNull();
          assertThat(setting.meaning()).isNotBlank();
        });
  }
}
