package dev.hapax.client.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.RunSignal;
import dev.hapax.client.run.RunDefinition;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.run.Runs;
import dev.hapax.client.worker.Worker;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An order takes 17 days at the most; its test takes none of them. */
@Timeout(60)
class OrderWorkflowTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final Shop shop = new Shop(hapax.clock(), 2);
  private final HapaxClient client = HapaxClient.on(hapax.channel());
  private final Runs runs = client.runs();
  private final Worker worker =
      client
          .newWorker()
          .workflow("orders", "order", "main", PayloadCodec.text(), new OrderWorkflow(shop))
          .start();

  @BeforeEach
  void define() {
    client.definitions().register(RunDefinition.of("order", "1").code("main", "orders"));
  }

  @AfterEach
  void close() {
    worker.close();
    hapax.close();
  }

  private String start(String order) {
    return runs.start(RunRequest.of("order").withInput(PayloadCodec.text(), order))
        .getRun()
        .getId();
  }

  @Test
  @DisplayName(
      "given an order, when the bank opens and the withdrawal period passes, then it is "
          + "charged and shipped")
  void shipped() {
    String run = start("4711");
    hapax.settle();
    assertThat(shop.charges()).hasSize(1);

    hapax.advance(Duration.ofMinutes(30)); // both pauses before a retry, at their longest
    assertThat(shop.deeds()).containsExactly("charged 4711");

    hapax.advance(Duration.ofDays(14));
    assertThat(shop.deeds()).hasSize(1);
    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    client
        .hooks()
        .signal(
            "order/4711", RunSignal.of("address").withPayload(PayloadCodec.text(), "the office"));
    assertThat(runs.result(run, PayloadCodec.text(), SOON)).isEqualTo("shipped");
    assertThat(shop.deeds()).containsExactly("charged 4711", "shipped to the office on 2026-01-15");
  }

  @Test
  @DisplayName(
      "given no address, when three days have passed, then the order is shipped to the "
          + "invoice address")
  void noAddress() {
    String run = start("4712");

    hapax.advance(Duration.ofDays(30));

    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
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

    String second = start("4713");

    assertThat(runs.result(second, PayloadCodec.text(), SOON)).isEqualTo("duplicate");
    assertThat(shop.charges()).hasSize(1);
  }
}
