package dev.hapax.client.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Hapax;
import dev.hapax.client.RunHandle;
import dev.hapax.client.Worker;
import dev.hapax.client.Workflow;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An order takes 17 days at the most; its test takes none of them. */
@Timeout(60)
class OrderWorkflowTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final Shop shop = new Shop(hapax.clock(), 2);
  private final Hapax client = Hapax.builder(Map.of()).channel(hapax.channel()).connect();
  private final Workflow<String, String> workflow = OrderWorkflow.of(shop);
  private final Worker worker = client.worker().add(workflow).start();

  @AfterEach
  void close() {
    worker.close();
    client.close();
    hapax.close();
  }

  private RunHandle<String> start(String order) {
    return client.runs().start(workflow, "", order);
  }

  @Test
  @DisplayName(
      "given an order, when the bank opens and the withdrawal period passes, then it is "
          + "charged and shipped")
  void shipped() {
    RunHandle<String> run = start("4711");
    hapax.settle();
    assertThat(shop.charges()).hasSize(1);

    hapax.advance(Duration.ofMinutes(30)); // both pauses before a retry, at their longest
    assertThat(shop.deeds()).containsExactly("charged 4711");

    hapax.advance(Duration.ofDays(14));
    assertThat(shop.deeds()).hasSize(1);
    assertThat(client.runs().get(run.id()).status()).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    client.hooks().signal("order/4711", "address", "the office");
    assertThat(run.result(SOON)).isEqualTo("shipped");
    assertThat(shop.deeds()).containsExactly("charged 4711", "shipped to the office on 2026-01-15");
  }

  @Test
  @DisplayName(
      "given no address, when three days have passed, then the order is shipped to the "
          + "invoice address")
  void noAddress() {
    RunHandle<String> run = start("4712");

    hapax.advance(Duration.ofDays(30));

    assertThat(client.runs().get(run.id()).status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(shop.charges()).hasSize(3);
    assertThat(shop.deeds())
        .containsExactly("charged 4712", "shipped to the address of the invoice on 2026-01-18");
  }

  @Test
  @DisplayName(
      "given a running order, when it is started again, then the result names the " + "duplicate")
  void duplicate() {
    start("4713");
    hapax.settle();

    RunHandle<String> second = start("4713");

    assertThat(second.result(SOON)).isEqualTo("duplicate");
    assertThat(shop.charges()).hasSize(1);
  }
}
