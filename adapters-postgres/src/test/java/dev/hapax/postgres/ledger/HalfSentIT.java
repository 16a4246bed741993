package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.hapax.postgres.ledger.PostgresProxy.Held;
import dev.hapax.postgres.ledger.PostgresProxy.Treatment;
import dev.hapax.testkit.ledger.Counter;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that stops while it sends a request: to PostgreSQL its session is active, not idle. */
@Tag("fault")
class HalfSentIT {
  private static final int HAS_TRANSACTION_TIMEOUT = 170_000;

  @Test
  @DisplayName(
      "given a node that stops for good in the middle of its writes, then its records get free")
  void stopped() {
    try (var ledgers = new TestLedgers();
        var proxy = new PostgresProxy(ledgers.database().url());
        var node =
            ledgers.open(
                proxy.dataSource(), oneCommitter().withCommandTimeout(Duration.ofSeconds(3)))) {
      assumeThat(Integer.parseInt(ledgers.database().query("SHOW server_version_num")))
          .isGreaterThanOrEqualTo(HAS_TRANSACTION_TIMEOUT);
      var other = ledgers.node(oneCommitter().withCommandTimeout(Duration.ofSeconds(2)));
      var key = key("half-sent");
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(1);
      var held = new Held();
      proxy.treat(
          request -> {
            if (held.isReached()) {
              return new Treatment.Silence();
            }
            return request.commits() ? new Treatment.Hold(1, held) : new Treatment.Pass();
          });
      var unknown = node.ledger().submit(Counter.increment(key));
      held.awaitReached();

      await(
          "the record is free",
          () ->
              other
                  .submit(Counter.increment(key))
                  .handle((value, _) -> Long.valueOf(2).equals(value))
                  .join());
      assertThat(unknown).isCompletedExceptionally();
    }
  }
}
