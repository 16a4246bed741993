package dev.hapax.application.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.intent.SimulatedInbox;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.read.WriteRecord;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A record has an intent pending that is no longer in the inbox. */
class PendingIntentTakerTest {
  private static final IntentId ID = new IntentId(new Workspace("default"), new UUID(1, 2));

  private final SettableClock clock = new SettableClock();
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final SimulatedInbox inbox = new SimulatedInbox(ledger, clock);
  private final PendingIntentTaker taker = new PendingIntentTaker(inbox, taker());

  private IntentTaker taker() {
    var targets = IntentTargets.of(ledger, clock, new ManualScheduler(clock));
    return new IntentTaker(
        targets.definitions(),
        targets.runs(),
        targets.hooks(),
        start -> new Fingerprint(Digest.sha256(start.parameters().input().toString())));
  }

  private void taken(IntentOutcome outcome) {
    var origin = new IntentOrigin(IntentVerb.COMPLETE_TASK, "shop", Instant.EPOCH);
    Intent taken = new Intent.Taken(origin, 0, outcome, Instant.EPOCH);
    ledger.submit(new WriteRecord<>(ID, taken)).join();
  }

  @Test
  @Tag("D12")
  @DisplayName("given an intent that another server has taken, then the record is decided again")
  void taken() {
    taken(new IntentOutcome.Completed(Optional.empty()));

    assertThat(taker.take(ID)).isCompleted();
  }

  @Test
  @Tag("D12")
  @DisplayName("given a completion that failed, then the record is not decided again without end")
  void failed() {
    taken(new IntentOutcome.Failed(IntentError.INTERNAL, Optional.empty(), "a defect"));

    assertThatThrownBy(taker.take(ID)::join)
        .hasRootCauseInstanceOf(LedgerException.Unavailable.class)
        .hasRootCauseMessage(
            "a record has the pending intent %s, which failed: INTERNAL a defect".formatted(ID));
  }

  @Test
  @DisplayName("given an intent that was removed by hand, then the error names it")
  void removed() {
    assertThatThrownBy(taker.take(ID)::join)
        .hasRootCauseInstanceOf(LedgerException.Unavailable.class)
        .hasMessageContaining("which is not in the inbox");
  }
}
