package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The lines of the tokens that one run needs: it joins all of them, and leaves all of them. */
record Lines(Workspace workspace, List<AwaitedToken> tokens, BatchRecords records, Instant now) {
  /** The lines of these tokens, locked with the runs that the tokens name. */
  static Lines of(
      Workspace workspace, List<AwaitedToken> tokens, BatchRecords records, Instant now) {
    var lines = new Lines(workspace, tokens, records, now);
    records.lock(lines.hooks().<RecordKey<?>>flatMap(id -> Stream.of(id, new LineId(id))).toList());
    records.lock(lines.hooks().flatMap(id -> records.get(id).stream()).map(Hook::run).toList());
    return lines;
  }

  private Stream<HookId> hooks() {
    return tokens.stream().map(this::id);
  }

  private HookId id(AwaitedToken token) {
    return new HookId(workspace, token.hash());
  }

  /** Whether each token is free, and its line empty but for this run. */
  boolean isTurnOf(RunId run) {
    return hooks()
        .allMatch(
            id ->
                TokenOwner.living(id, records, now).isEmpty()
                    && first(id).filter(first -> !first.equals(run)).isEmpty());
  }

  private Optional<RunId> first(HookId id) {
    return TokenOwner.first(id, List::of, records).map(first -> first.owner().id());
  }

  /** Lets a run wait that exists, or gives it the tokens at once. */
  Run join(Run run) {
    var isFree = isTurnOf(run.id());
    var blocked = run.blocked(join(run.id()), tokens, now, Actor.SERVER);
    if (isFree) {
      return admit(blocked);
    }
    records.put(run.id(), blocked);
    return blocked;
  }

  /** Gives a run the last place in each line, marks the owners, and returns its turn. */
  long join(RunId run) {
    var turn =
        Turns.next(hooks().flatMap(id -> records.get(id).stream()).map(Hook::turns).toList(), now);
    tokens.forEach(token -> join(id(token), token, new Place(turn, run)));
    return turn;
  }

  private void join(HookId id, AwaitedToken token, Place place) {
    TokenOwner.living(id, records, now)
        .ifPresent(owner -> records.put(owner.id(), owner.marked(List.of(id.hash()))));
    var hook =
        records
            .get(id)
            .orElseGet(() -> Hook.of(Optional.empty(), place.run(), "", token.retention(), now));
    records.put(id, hook.with(hook.turns().joined(place.turn())));
    var line = new LineId(id);
    records.put(line, records.get(line).orElse(Line.EMPTY).with(place));
  }

  /** Gives a run the tokens that it waited for: it is its turn. */
  Run admit(Run waiting) {
    var turn = waiting.blocked().map(Phase.Blocked::turn).orElseThrow();
    tokens.forEach(token -> leave(id(token), token, waiting.id(), turn));
    var admitted = waiting.admitted(waiting.blocked().orElseThrow(), now);
    records.put(admitted.id(), admitted);
    return admitted;
  }

  private void leave(HookId id, AwaitedToken token, RunId run, long turn) {
    var key = new LineId(id);
    var line = records.get(key).orElse(Line.EMPTY).after(turn);
    records.put(key, line);
    var hook = Hook.of(records.get(id), run, token.name(), token.retention(), now);
    records.put(id, hook.with(hook.turns().counted(line.atMost(hook.turns().waiting() - 1))));
  }
}
