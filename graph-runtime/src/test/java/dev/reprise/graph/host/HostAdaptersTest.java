package dev.reprise.graph.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.adapter.AdapterException;
import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.toy.Gate;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.graph.toy.WrappedModel;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Adapters of a host: loaded and unloaded by any thread while it serves. */
class HostAdaptersTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final Request REQUEST = Request.greedy(Toy.prompt(new Random(2), 9), 12);

  @Test
  void requestsNameAdaptersThatAreLoadedAndInUseUntilTheyEnd() throws InterruptedException {
    Gate gate = new Gate(2);
    WrappedModel model = new WrappedModel(TOY.model(), gate);
    var options = Toy.serving(40).withAdapters(new AdapterOptions(1, 4));
    try (DecodeHost host = DecodeHost.start(TOY.device(), model, options)) {
      host.adapters().load("tone", ToyModel.adapter(3, 4, "qkv", "out"));
      assertThat(host.adapters().names()).containsExactly("tone");
      RequestHandle plain = host.submit(REQUEST);
      gate.awaitReached();
      RequestHandle held = host.submit(REQUEST.withAdapter("tone"));
      gate.open();
      assertThat(held.await().tokens()).isNotEqualTo(plain.await().tokens()).hasSize(12);
      host.adapters().unload("tone");
      assertThat(host.adapters().names()).isEmpty();
      assertThatThrownBy(() -> host.submit(REQUEST.withAdapter("tone")))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("wants adapter 'tone', but no adapter 'tone' is loaded");
      assertThatThrownBy(() -> host.adapters().unload("tone"))
          .isInstanceOf(AdapterException.class)
          .hasMessageContaining("No adapter 'tone' is loaded");
    }
  }

  @Test
  void aRefusedRequestGivesItsAdapterBack() {
    var options = Toy.serving(3).withAdapters(new AdapterOptions(1, 4));
    try (DecodeHost host = DecodeHost.start(TOY.device(), TOY.model(), options)) {
      host.adapters().load("tone", ToyModel.adapter(3, 4, "qkv"));
      Request large = Request.greedy(Toy.prompt(new Random(2), 9), 80).withAdapter("tone");
      assertThatThrownBy(() -> host.submit(large))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("KV blocks");
      host.adapters().unload("tone");
    }
  }
}
