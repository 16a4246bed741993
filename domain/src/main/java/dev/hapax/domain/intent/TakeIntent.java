package dev.hapax.domain.intent;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentOutcome.Failed;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;

/**
 * Decides what an intent asks for, by the command of its rpc, and replaces the intent by its
 * outcome: all of it in one commit. Of several servers that propose an intent, one takes it.
 */
public record TakeIntent(IntentId id, IntentCommand asked) implements Command<TakeOutcome> {
  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    var keys = new HashSet<RecordKey<?>>(asked.keys());
    keys.add(id);
    return keys;
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return asked.reads();
  }

  @Override
  public Object route() {
    return asked.route().orElse(id);
  }

  @Override
  public Urgency urgency() {
    return asked.urgency();
  }

  @Override
  public int size() {
    return asked.size();
  }

  @Override
  public TakeOutcome decide(BatchRecords records, Instant now) {
    return switch (records.get(id).orElse(null)) {
      case null -> new TakeOutcome.Gone();
      case Intent.Taken _ -> new TakeOutcome.Gone();
      case Intent.Posted posted when posted.isPaused(now) ->
          new TakeOutcome.Deferred(posted.notBefore().orElseThrow());
      case Intent.Posted posted -> take(records, now, posted);
    };
  }

  private TakeOutcome take(BatchRecords records, Instant now, Intent.Posted posted) {
    return switch (asked.decide(records, now)) {
      case IntentDecision.Decided(var outcome, var changed) -> {
        records.put(id, new Intent.Taken(posted.origin(), posted.tries(), outcome, now));
        yield new TakeOutcome.Taken(outcome, changed);
      }
      case IntentDecision.Full(var run) when posted.mayWait(now) -> {
        var later = posted.defer(now);
        records.put(id, later);
        yield new TakeOutcome.Deferred(later.notBefore().orElseThrow());
      }
      case IntentDecision.Full(var run) -> {
        var failed = Failed.of(IntentError.INBOX_FULL, run, "");
        records.put(id, new Intent.Taken(posted.origin(), posted.tries(), failed, now));
        yield new TakeOutcome.Taken(failed, List.of());
      }
      case IntentDecision.Outdated(var latest) -> new TakeOutcome.Outdated(latest);
    };
  }
}
