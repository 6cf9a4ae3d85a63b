package dev.reprise.graph.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Law 1: a graph is found by everything it depends on, and a miss names what differs. */
class Law01KeyTest {

  private static final GraphKey KEY =
      new GraphKey(
          new GraphKey.Environment("m", "a", "w", "x", "kv", "k", "att", "dev", "drv"),
          4,
          512,
          2,
          4,
          0,
          false,
          false);

  /** Flips every component, found by reflection, so that a new one cannot be forgotten. */
  @Test
  void aDifferenceInAnyFieldIsNamedAndMakesAnotherKey() throws ReflectiveOperationException {
    RecordComponent[] components = GraphKey.Environment.class.getRecordComponents();
    for (int flipped = 0; flipped < components.length; flipped++) {
      Object[] values = new Object[components.length];
      Class<?>[] types = new Class<?>[components.length];
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        values[i] = components[i].getAccessor().invoke(KEY.environment());
      }
      values[flipped] = "other";
      var constructor = GraphKey.Environment.class.getDeclaredConstructor(types);
      GraphKey other =
          new GraphKey(
              (GraphKey.Environment) constructor.newInstance(values),
              4,
              512,
              2,
              4,
              0,
              false,
              false);
      assertThat(other).isNotEqualTo(KEY);
      assertThat(other.differences(KEY)).containsExactly(components[flipped].getName());
    }
    GraphKey.Environment same = KEY.environment();
    assertThat(new GraphKey(same, 8, 512, 2, 4, 0, false, false).differences(KEY))
        .containsExactly("rows");
    assertThat(new GraphKey(same, 4, 256, 2, 4, 0, false, false).differences(KEY))
        .containsExactly("context");
    assertThat(new GraphKey(same, 4, 512, 1, 4, 0, false, false).differences(KEY))
        .containsExactly("splits");
    assertThat(new GraphKey(same, 4, 512, 2, 1, 0, false, false).differences(KEY))
        .containsExactly("logitRows");
    assertThat(new GraphKey(same, 4, 512, 2, 4, 1, false, false).differences(KEY))
        .containsExactly("resultSlot");
    assertThat(new GraphKey(same, 4, 512, 2, 4, 0, true, false).differences(KEY))
        .containsExactly("penalized");
    assertThat(new GraphKey(same, 4, 512, 2, 4, 0, false, true).differences(KEY))
        .containsExactly("prefill");
    assertThat(new GraphKey(same, 4, 512, 2, 4, 0, false, false).differences(KEY)).isEmpty();
  }

  @Test
  void everyComponentTakesPart() {
    List<String> names = new ArrayList<>();
    for (RecordComponent c : GraphKey.Environment.class.getRecordComponents()) {
      names.add(c.getName());
    }
    assertThat(names)
        .contains("model", "adapter", "weights", "activations", "kvLayout", "kernels")
        .contains("attention", "device", "driver");
  }
}
