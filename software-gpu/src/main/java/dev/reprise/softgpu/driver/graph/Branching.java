package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.queue.Work;
import java.util.List;

/**
 * What a conditional node does in a launch. A loop runs here, on the thread of the stream, without
 * asking anybody outside.
 */
record Branching(Conditional conditional, List<Plan> bodies) implements Work {

  @Override
  public void run() {
    Condition condition = conditional.condition();
    switch (conditional.kind()) {
      case IF -> {
        int body = condition.value() != 0 ? 0 : 1;
        runBody(body);
      }
      case WHILE -> {
        while (condition.value() != 0 && !conditional.scope().ending()) {
          runBody(0);
        }
      }
      case SWITCH -> runBody(condition.value());
    }
  }

  private void runBody(int body) {
    if (Integer.compareUnsigned(body, bodies.size()) < 0) {
      bodies.get(body).run();
    }
  }
}
