package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Gives a token that no run owns to the first run that waits for it, if the other tokens of that
 * run are free for it as well.
 *
 * @param former the likely last owner: it is locked in the first decision, which saves a second one
 */
public record PassTurn(HookId hook, Optional<RunId> former) implements Command<PassTurn.Admitted> {
  private static final int SIZE = 4096;

  /** How many runs one decision admits, if each of them ends at once. */
  private static final int MOST = 10;

  /**
   * The outcome.
   *
   * @param runs that own the token since, in their order; all but the last have ended
   * @param isUnfinished whether another decision is needed
   */
  public record Admitted(List<Run> runs, boolean isUnfinished) {
    public Admitted {
      runs = List.copyOf(runs);
    }
  }

  /**
   * The decisions that a commit calls for: it ended a run behind which others may wait, or disposed
   * of a token. If they are not made, a search finds the tokens later.
   */
  public static Stream<PassTurn> after(Map<RecordKey<?>, Batch.Change> changes) {
    return changes.entrySet().stream()
        .flatMap(
            change ->
                switch (change.getValue().after()) {
                  case Run run when run.hasEnded() && !isAsBefore(change.getValue(), run) ->
                      after(run);
                  case Hook token
                      when token.disposedAt().isPresent() && token.turns().waiting() > 0 ->
                      Stream.of(new PassTurn((HookId) change.getKey(), Optional.of(token.run())));
                  case null, default -> Stream.empty();
                });
  }

  /** A run that had ended may have lived in between, in the same batch. */
  private static boolean isAsBefore(Batch.Change change, Run run) {
    return change.before() instanceof Run before
        && before.hasEnded()
        && before.version() == run.version();
  }

  private static Stream<PassTurn> after(Run ended) {
    var former = ended.tokens().isAwaiting() ? Optional.<RunId>empty() : Optional.of(ended.id());
    return ended.tokens().marks().stream()
        .map(mark -> new PassTurn(new HookId(ended.id().workspace(), mark), former));
  }

  @Override
  public Workspace workspace() {
    return hook.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.<RecordKey<?>>concat(Stream.of(hook, new LineId(hook)), former.stream()).toList();
  }

  /** Concurrent commands for one token go to the same batch. */
  @Override
  public HookId route() {
    return hook;
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public Admitted decide(BatchRecords records, Instant now) {
    var admitted = new ArrayList<Run>();
    while (TokenOwner.living(hook, records, now).isEmpty()) {
      var first = first(records);
      if (first.isEmpty()) {
        return new Admitted(admitted, line(records).hasMore());
      }
      if (admitted.size() == MOST) {
        return new Admitted(admitted, true);
      }
      var waiting = first.get();
      var lines = Lines.of(workspace(), waiting.tokens().awaited(), records, now);
      if (!lines.isTurnOf(waiting.id())) {
        break;
      }
      admitted.add(lines.admit(waiting));
    }
    return new Admitted(admitted, false);
  }

  private Line line(BatchRecords records) {
    return records.get(new LineId(hook)).orElse(Line.EMPTY);
  }

  /** The first run that waits, after the places before it are removed. */
  private Optional<Run> first(BatchRecords records) {
    for (var place : line(records).first()) {
      records.lock(List.of(place.run()));
      var run = records.get(place.run());
      if (run.filter(found -> place.isOf(hook.hash(), found)).isPresent()) {
        return run;
      }
      leave(records, place.turn());
    }
    return Optional.empty();
  }

  private void leave(BatchRecords records, long turn) {
    var left = line(records).after(turn);
    records.put(new LineId(hook), left);
    records
        .get(hook)
        .ifPresent(
            token -> {
              var turns = token.turns();
              records.put(hook, token.with(turns.counted(left.atMost(turns.waiting() - 1))));
            });
  }
}
