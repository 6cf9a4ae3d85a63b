package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EntryPointFactsTest {

  private static EntryPointFacts without(int driverVersion, String... functions) {
    Set<String> lacked = Set.of(functions);
    return EntryPointFacts.collect(driverVersion, symbol -> !lacked.contains(symbol));
  }

  @Test
  void aDriverWithAllLacksNone() {
    EntryPointFacts facts = without(13000);
    assertThat(facts.missing()).isEmpty();
    assertThat(facts.total()).isGreaterThan(400).isEqualTo(facts.found());
  }

  @Test
  void whatIsNewerThanTheDriverIsToldFromWhatIsNot() {
    EntryPointFacts facts = without(12020, "cuInit", "cuGraphAddNode_v2");
    assertThat(facts.missing())
        .containsExactly(
            new Missing("cuGraphAddNode_v2", 12030, true), new Missing("cuInit", 2000, false));
    assertThat(facts.unexpected()).containsExactly(new Missing("cuInit", 2000, false));
    assertThat(facts.found()).isEqualTo(facts.total() - 2);
  }

  @Test
  void theSameVersionShouldHaveIt() {
    assertThat(without(12030, "cuGraphAddNode_v2").unexpected()).hasSize(1);
  }
}
