package dev.hapax.domain.limit;

import dev.hapax.domain.definition.Rate;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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
        full.map(line -> run.blocked(turn, full(line, turn), now))
            .orElseGet(
                () ->
                    run.needsDefinitionTurn()
                        ? run.admittedToDefinition(turn, now)
                        : run.admitted(turn, now));
    for (var line : step.lines()) {
      if (full.isPresent()) {
        join(line.id(), turn.turn());
      } else {
        take(line, turn.turn());
      }
    }
    records.put(run.id(), entered);
    full.ifPresent(_ -> waitForRates(turn.turn()));
    return entered;
  }

  /**
   * Whether a run that was admitted to its definition before continues after its failure. It may
   * own tokens, so it does not wait.
   */
  private boolean isPast() {
    return run.needsDefinitionTurn() && run.startedAt().isPresent();
  }

  private RunChange.FullLimit full(LimitedStep.Line line, StepTurn turn) {
    var key = line.key();
    return new RunChange.FullLimit(
        key.ofDefinitions(), key.name(), key.value(), isRate(line), turn.lines());
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

  /** Whether it would have room without the rate. */
  private boolean isRate(LimitedStep.Line line) {
    return hasNumber(line) && nextStart(line).isAfter(now);
  }

  /** Whether a newcomer has room, and passes no run that waits. */
  private boolean isFree(LimitedStep.Line line) {
    var waiting = waiting(line.id());
    return waiting.first().isEmpty() && !waiting.hasMore() && hasRoom(line);
  }

  /** Whether it is the first in all its lines, and all have room. */
  boolean isTurn() {
    return step.lines().stream().allMatch(line -> isFirst(line) && hasRoom(line));
  }

  private boolean isFirst(LimitedStep.Line line) {
    return waiting(line.id()).first().stream()
        .findFirst()
        .filter(place -> place.run().equals(run.id()))
        .isPresent();
  }

  /** Keeps when the rates let the run start, in the lines whose first it is. */
  void waitForRates(long turn) {
    for (var line : step.lines()) {
      var next = nextStart(line);
      if (isFirst(line) && next.isAfter(now)) {
        put(line, limit(line).due(next, turn));
      }
    }
  }

  /** How long the rates delay the run. */
  Optional<Duration> delay() {
    return step.lines().stream()
        .map(this::nextStart)
        .filter(next -> next.isAfter(now))
        .map(next -> Duration.between(now, next))
        .max(Comparator.naturalOrder());
  }

  /** The run that waited, admitted. */
  Run admit() {
    var waiting = run.blocked().orElseThrow();
    for (var line : step.lines()) {
      records.put(line.id().line(), waiting(line.id()).after(waiting.turn()));
      take(line, waiting.turn());
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
      records.put(line.id(), limit(line).drawn(turn, line));
    }
    return new StepTurn(turn, step.lines().stream().map(line -> line.id().hash()).toList());
  }

  private LimitLine limit(LimitedStep.Line line) {
    return records.get(line.id()).orElseGet(() -> LimitLine.of(line));
  }

  private void put(LimitedStep.Line line, LimitLine changed) {
    if (!limit(line).equals(changed)) {
      records.put(line.id(), changed);
    }
  }

  private Line waiting(LimitId id) {
    return records.get(id.line()).orElse(Line.EMPTY);
  }

  private boolean hasRoom(LimitedStep.Line line) {
    return hasNumber(line) && !nextStart(line).isAfter(now);
  }

  private boolean hasNumber(LimitedStep.Line line) {
    var max = maxRunning(line);
    return max == 0 || slots(line.id()).taken().size() < max;
  }

  private int maxRunning(LimitedStep.Line line) {
    return settings(line)
        .flatMapToInt(setting -> setting.maxRunning().stream())
        .findFirst()
        .orElse(line.declared());
  }

  private Optional<Rate> rate(LimitedStep.Line line) {
    return settings(line).flatMap(setting -> setting.rate().stream()).findFirst().or(line::rate);
  }

  private Stream<LimitSetting> settings(LimitedStep.Line line) {
    return line.key().settings().map(records::get).flatMap(Optional::stream);
  }

  /** The earliest start that the rate of a line allows. After the clock went back, it is now. */
  private Instant nextStart(LimitedStep.Line line) {
    return rate(line)
        .map(Rate::interval)
        .flatMap(
            interval ->
                limit(line)
                    .started()
                    .filter(last -> !last.isAfter(now.plus(interval)))
                    .map(last -> last.plus(interval)))
        .orElse(Instant.MIN);
  }

  private Slots slots(LimitId id) {
    return records.get(id.slots()).orElse(Slots.NONE);
  }

  private void join(LimitId id, long turn) {
    records.put(id.line(), waiting(id).with(new Place(turn, run.id())));
  }

  /**
   * Any number needs no slots, which each admission would load. A run that does not wait is no
   * start for the rate.
   */
  private void take(LimitedStep.Line line, long turn) {
    rate(line)
        .filter(_ -> !isPast())
        .ifPresent(
            rate ->
                records.put(line.id(), limit(line).started(rate.counted(nextStart(line), now))));
    if (maxRunning(line) > 0) {
      var slots = line.id().slots();
      records.put(slots, slots(line.id()).with(new Slot(turn, run.id())));
    }
  }
}
