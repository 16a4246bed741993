package dev.hapax.domain.limit;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Admits the first runs of a limit's line, as long as it has room for them. */
public record AdmitRuns(LimitKey key) implements Command<AdmitRuns.Admitted> {
  private static final int SIZE = 4096;

  /** How many runs one decision admits. */
  private static final int MOST = 10;

  /**
   * The outcome.
   *
   * @param runs that were admitted, in their order
   * @param isUnfinished whether another decision is needed
   * @param delay how long the rate delays the next run; another decision is needed then
   */
  public record Admitted(List<Run> runs, boolean isUnfinished, Optional<Duration> delay) {
    public Admitted {
      runs = List.copyOf(runs);
    }
  }

  /**
   * The decisions that a commit calls for: a run left a line, or its slot. If they are not made, a
   * search finds the limits later. The events tell also of what began and ended in one batch.
   */
  public static Stream<AdmitRuns> after(Map<RecordKey<?>, Batch.Change> changes) {
    return changes.values().stream()
        .flatMap(
            change ->
                switch (change.after()) {
                  case Run run -> run.newEvents().stream().flatMap(event -> after(run, event));
                  case LimitLine line -> after(change.before(), line);
                  case null, default -> Stream.empty();
                })
        .distinct();
  }

  /** A run has come that waits for the rate, as the first in line: the outcome says how long. */
  private static Stream<AdmitRuns> after(@Nullable Object before, LimitLine line) {
    var isNew =
        line.due().isPresent()
            && !(before instanceof LimitLine was
                && (was.due().equals(line.due()) || was.last().equals(line.last())));
    return isNew ? Stream.of(new AdmitRuns(line.key())) : Stream.empty();
  }

  private static Stream<AdmitRuns> after(Run run, RunEvent event) {
    var isAdmitted = event.change() instanceof RunChange.Admitted;
    var ofStep =
        isAdmitted || event.change().mayEndTurn()
            ? LimitedStep.of(run, event.step()).lines()
            : List.<LimitedStep.Line>of();
    var ofDefinition =
        isAdmitted || event.change().endsRun()
            ? LimitedStep.ofDefinition(run).lines()
            : List.<LimitedStep.Line>of();
    // behind an admitted run, another line may have room; the line that admitted it goes on itself
    return Stream.of(ofStep, ofDefinition)
        .filter(lines -> !isAdmitted || lines.size() > 1)
        .flatMap(List::stream)
        .map(line -> new AdmitRuns(line.key()));
  }

  @Override
  public Workspace workspace() {
    return key.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.<RecordKey<?>>concat(
            Stream.of(limit(), limit().line(), limit().slots()), key.settings())
        .toList();
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return key.settings().toList();
  }

  private LimitId limit() {
    return key.id();
  }

  /** Concurrent commands for one limit go to the same batch. */
  @Override
  public LimitKey route() {
    return key;
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
    while (true) {
      var first = first(records);
      if (first.isEmpty()) {
        return new Admitted(admitted, line(records).hasMore(), Optional.empty());
      }
      var admission = Admission.of(first.get(), records, now);
      if (!admission.isTurn()) {
        admission.waitForRates(first.get().blocked().orElseThrow().turn());
        return new Admitted(admitted, false, admission.delay());
      }
      if (admitted.size() == MOST) {
        return new Admitted(admitted, true, Optional.empty());
      }
      admitted.add(admission.admit());
    }
  }

  private Line line(BatchRecords records) {
    return records.get(limit().line()).orElse(Line.EMPTY);
  }

  /** The first run that waits, after the places before it are removed. */
  private Optional<Run> first(BatchRecords records) {
    for (var place : line(records).first()) {
      records.lock(List.of(place.run()));
      var run = records.get(place.run());
      if (run.filter(found -> place.isOf(limit().hash(), found)).isPresent()) {
        return run;
      }
      records.put(limit().line(), line(records).after(place.turn()));
    }
    return Optional.empty();
  }
}
