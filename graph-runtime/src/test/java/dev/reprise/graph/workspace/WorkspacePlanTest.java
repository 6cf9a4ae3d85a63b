package dev.reprise.graph.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WorkspacePlanTest {

  @Test
  void placesAreAlignedAndNeverOverlap() {
    WorkspacePlan plan = new WorkspacePlan().add("a", 1).add("b", 256).add("c", 257).add("d", 4);
    assertThat(plan.place("a")).isEqualTo(new WorkspacePlan.Place(0, 1));
    assertThat(plan.place("b")).isEqualTo(new WorkspacePlan.Place(256, 256));
    assertThat(plan.place("c")).isEqualTo(new WorkspacePlan.Place(512, 257));
    assertThat(plan.place("d")).isEqualTo(new WorkspacePlan.Place(1024, 4));
    assertThat(plan.bytes()).isEqualTo(1280);
  }

  @Test
  void mistakesAreNamed() {
    WorkspacePlan plan = new WorkspacePlan().add("hidden", 8);
    assertThatThrownBy(() -> plan.add("hidden", 8)).hasMessageContaining("planned twice");
    assertThatThrownBy(() -> plan.add("none", 0)).hasMessageContaining("has no size");
    assertThatThrownBy(() -> plan.place("logits")).hasMessageContaining("only [hidden]");
  }
}
