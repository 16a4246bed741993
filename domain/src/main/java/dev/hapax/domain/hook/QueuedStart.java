package dev.hapax.domain.hook;

import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.StartOutcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A start whose run waits for its tokens, unless all of them are free. */
record QueuedStart(StartRunWithHooks command, Lines lines, BatchRecords records, Instant now) {

  static QueuedStart of(StartRunWithHooks command, BatchRecords records, Instant now) {
    var tokens = command.wanted().stream().map(Wanted::awaited).toList();
    return new QueuedStart(
        command, Lines.of(command.workspace(), tokens, records, now), records, now);
  }

  StartOutcome decide() {
    var run = command.start().run();
    var restarted = command.start().replaced(records, now).map(Run::id);
    if (lines.isTurnOf(run)) {
      return StartOutcome.created(command.create(records, now), restarted.flatMap(records::get));
    }
    var ahead = 0;
    var full = new ArrayList<HookId>();
    for (var token : command.wanted()) {
      var queue = (ConflictPolicy.Queue) token.onConflict();
      var waiting = waiting(token.hook(), queue.limit());
      if (waiting < queue.limit()) {
        ahead = Math.max(ahead, waiting);
      } else if (queue.supersedesWaiting() && line(token.hook()).isShort()) {
        full.add(token.hook());
      } else {
        return new StartOutcome.Rejected(answering(token.hook()));
      }
    }
    var instead = new ArrayList<Run>();
    full.forEach(id -> instead.addAll(replaced(id)));
    // the replaced runs may have waited for another token than this one does
    var isFirst = !instead.isEmpty() && lines.isTurnOf(run);
    var created = isFirst ? command.create(records, now) : create();
    restarted.flatMap(records::get).ifPresent(instead::add);
    return isFirst
        ? new StartOutcome.Superseded(created, instead)
        : new StartOutcome.Queued(
            created, Math.min(ahead, StartOutcome.Queued.MOST_AHEAD), instead);
  }

  private Run create() {
    var start = command.start();
    var turn = lines.join(start.run());
    return start.create(
        records,
        now,
        run -> run.blocked(turn, lines.tokens(), now, start.actor()),
        command.source());
  }

  /** How many runs wait for a token; counted if this many may wait. */
  private int waiting(HookId id, int limit) {
    var turns = records.get(id).map(Hook::turns).orElse(Turns.NONE);
    if (turns.waiting() < limit) {
      return turns.waiting();
    }
    var counted = count(id, line(id));
    records.put(id, records.get(id).orElseThrow().with(turns.counted(counted)));
    return counted;
  }

  private int count(HookId id, Line line) {
    if (!line.hasMore()) {
      return here(id, line).size();
    }
    var key = new LineLengthId(id);
    records.lock(List.of(key));
    return records.get(key).orElseThrow().of(line);
  }

  /** The runs that wait at the places that were loaded. */
  private List<Run> here(HookId id, Line line) {
    records.lock(line.first().stream().map(Line.Place::run).toList());
    return line.first().stream()
        .flatMap(
            place -> records.get(place.run()).filter(run -> place.isOf(id.hash(), run)).stream())
        .toList();
  }

  private Line line(HookId id) {
    return records.get(new LineId(id)).orElse(Line.EMPTY);
  }

  /** Cancels all runs that wait for a token. */
  private List<Run> replaced(HookId id) {
    var start = command.start();
    var replaced =
        here(id, line(id)).stream()
            .map(waiting -> waiting.supersededBy(start.run(), now, start.actor()))
            .toList();
    replaced.forEach(ended -> records.put(ended.id(), ended));
    records.put(new LineId(id), Line.EMPTY);
    var hook = records.get(id).orElseThrow();
    records.put(id, hook.with(hook.turns().counted(0)));
    return replaced;
  }

  private Run answering(HookId id) {
    return TokenOwner.living(id, records, now)
        .or(() -> TokenOwner.first(id, List::of, records).map(TokenOwner::owner))
        .orElseThrow();
  }
}
