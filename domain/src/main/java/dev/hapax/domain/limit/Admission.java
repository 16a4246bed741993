package dev.hapax.domain.limit;

import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.hook.LineLengthId;
import dev.hapax.domain.hook.Turns;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.limit.Slots.Slot;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.StepTurn;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Admits one run to its limited definition or step, or lets it wait in all its lines. */
record Admission(Run run, LimitedStep step, BatchRecords records, Instant now) {
  /** The lines that the run waits in, or has to join, locked. */
  static Admission of(Run run, BatchRecords records, Instant now) {
    var step = LimitedStep.of(run);
    records.lock(step.changed());
    records.share(step.read());
    return new Admission(run, step, records, now);
  }

  /** The run, admitted or in line. */
  Run enter() {
    var full =
        isPast()
            ? Optional.<LimitedStep.Line>empty()
            : step.lines().stream().filter(line -> !isFree(line)).findFirst();
    var turn = draw();
    var entered =
        full.map(line -> run.blocked(turn, full(line.key(), turn), now))
            .orElseGet(
                () ->
                    run.needsDefinitionTurn()
                        ? run.admittedToDefinition(turn, now)
                        : run.admitted(turn, now));
    for (var line : step.lines()) {
      if (full.isPresent()) {
        join(line.id(), turn.turn());
      } else {
        take(line.id(), turn.turn());
      }
    }
    records.put(run.id(), entered);
    return entered;
  }

  /**
   * Whether a run that was admitted to its definition before continues after its failure. It may
   * own tokens, so it does not wait.
   */
  private boolean isPast() {
    return run.needsDefinitionTurn() && run.startedAt().isPresent();
  }

  private static RunChange.FullLimit full(LimitKey key, StepTurn turn) {
    return new RunChange.FullLimit(key.ofDefinitions(), key.name(), key.value(), turn.lines());
  }

  /** How many runs wait in the longest line. */
  int ahead() {
    return step.lines().stream().mapToInt(line -> ahead(line.id())).max().orElse(0);
  }

  private int ahead(LimitId id) {
    var waiting = waiting(id);
    if (!waiting.hasMore()) {
      return waiting.first().size();
    }
    var key = new LineLengthId(new HookId(id.workspace(), id.hash()));
    records.lock(List.of(key));
    return records.get(key).orElseThrow().of(waiting);
  }

  /** Whether a newcomer has room, and passes no run that waits. */
  private boolean isFree(LimitedStep.Line line) {
    var waiting = waiting(line.id());
    return waiting.first().isEmpty() && !waiting.hasMore() && hasRoom(line);
  }

  /** Whether it is the first in all its lines, and all have room. */
  boolean isTurn() {
    return step.lines().stream()
        .allMatch(
            line ->
                waiting(line.id()).first().stream()
                        .findFirst()
                        .filter(place -> place.run().equals(run.id()))
                        .isPresent()
                    && hasRoom(line));
  }

  /** The run that waited, in the queue. */
  Run admit() {
    var waiting = run.blocked().orElseThrow();
    for (var line : step.lines()) {
      records.put(line.id().line(), waiting(line.id()).after(waiting.turn()));
      take(line.id(), waiting.turn());
    }
    var admitted = run.admitted(waiting, now);
    records.put(run.id(), admitted);
    return admitted;
  }

  private StepTurn draw() {
    var turn =
        Turns.next(
            step.lines().stream()
                .flatMap(line -> records.get(line.id()).stream())
                .flatMapToLong(line -> line.last().stream()),
            now);
    for (var line : step.lines()) {
      var found =
          records
              .get(line.id())
              .orElseGet(() -> new LimitLine(line.key(), 0, OptionalLong.empty()));
      records.put(line.id(), found.drawn(turn, line.declared()));
    }
    return new StepTurn(turn, step.lines().stream().map(line -> line.id().hash()).toList());
  }

  private Line waiting(LimitId id) {
    return records.get(id.line()).orElse(Line.EMPTY);
  }

  private boolean hasRoom(LimitedStep.Line line) {
    return slots(line.id()).taken().size() < maxRunning(line);
  }

  private int maxRunning(LimitedStep.Line line) {
    return line.key()
        .settings()
        .map(records::get)
        .flatMap(Optional::stream)
        .flatMapToInt(setting -> setting.maxRunning().stream())
        .findFirst()
        .orElse(line.declared());
  }

  private Slots slots(LimitId id) {
    return records.get(id.slots()).orElse(Slots.NONE);
  }

  private void join(LimitId id, long turn) {
    records.put(id.line(), waiting(id).with(new Place(turn, run.id())));
  }

  private void take(LimitId id, long turn) {
    records.put(id.slots(), slots(id).with(new Slot(turn, run.id())));
  }
}
