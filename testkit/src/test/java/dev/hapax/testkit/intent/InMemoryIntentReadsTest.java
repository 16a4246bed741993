package dev.hapax.testkit.intent;

import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

class InMemoryIntentReadsTest extends IntentReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);
  private final SimulatedInbox inbox = new SimulatedInbox(ledger, Instant::now);
  private long drawn;

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected IntentReads intents() {
    return inbox;
  }

  @Override
  protected Transaction begin() {
    var transaction = inbox.begin();
    return new Transaction() {
      @Override
      public IntentId post() {
        var id = new IntentId(workspace, new UUID(7, ++drawn));
        var origin = new IntentOrigin(IntentVerb.CANCEL_RUN, "shop", now);
        transaction.post(
            new PostedIntent(
                id,
                drawn,
                new Intent.Posted(origin, 0, Optional.empty()),
                new IntentRequest.Cancel(run, "enough"),
                1));
        return id;
      }

      @Override
      public void commit() {
        var _ = transaction.commit();
      }

      @Override
      public void rollBack() {
        transaction.rollBack();
      }
    };
  }
}
