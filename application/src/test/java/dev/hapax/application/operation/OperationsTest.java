package dev.hapax.application.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.operation.Caller;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Begin whose call is cancelled. */
class OperationsTest {
  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final InMemoryLedger records = new InMemoryLedger(clock);
  private final SteeredLedger ledger = new SteeredLedger(records);
  private final Operations operations =
      new Operations(ledger, new InMemoryOperationReads(records, clock), new WaiterQuota(), timer);
  private final Caller caller = Caller.of("request");

  @ParameterizedTest(name = "wait of {0} s")
  @ValueSource(ints = {0, 5})
  @DisplayName("given a queued Begin, when its call is cancelled, then it does not take the key")
  void cancelled(int wait) {
    ledger.holdCommands();
    var gone = operations.begin(caller.begin("gone"), Duration.ofSeconds(wait));
    assertThat(ledger.held()).isEqualTo(1);

    gone.cancel(false);
    ledger.holdNothing();
    ledger.letGo();

    assertThat(ledger.submit(caller.begin("next")))
        .isCompletedWithValueMatching(BeginOutcome.Acquired.class::isInstance);
  }
}
