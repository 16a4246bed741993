package dev.hapax.testkit.simulation.turn;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A state of {@link LineModel}, with the decisions of the server. */
final class LineState {
  enum Phase {
    NEW,
    WAITING,
    /** The server may enter the step of the run. */
    DUE,
    READY,
    HELD,
    /** The run waits before it retries its step. */
    RETRY,
    PAUSED,
    PAUSED_HELD,
    /** Only of {@link Mutant#PAUSE_KEEPS_PLACE}. */
    PAUSED_WAITING,
    FAILED,
    /** The run failed in the lines that it needed for its start. */
    FAILED_WAITING,
    ENDED
  }

  /** How many runs an admission takes; the server takes 10. */
  private static final int BOUND = 1;

  private static final List<Phase> PHASES = List.of(Phase.values());
  private static final int NONE = -1;

  private final LineModel model;
  private final Cells cells;
  private final int runs;
  private final int lines;
  private Optional<Rule> broken = Optional.empty();

  // the layout: turns first, since only their order counts
  private final int last;
  private final int turns;
  private final int places;
  private final int slots;
  private final int since;
  private final int phases;
  private final int stages;
  private final int retried;
  private final int paused;
  private final int reopened;
  private final int changed;
  private final int hints;

  LineState(LineModel model) {
    this(model, new Cells(size(model)));
  }

  private static int size(LineModel model) {
    var runs = model.bounds().kinds().size();
    var lines = model.bounds().capacity().size();
    return lines + runs + 2 * runs * lines + 6 * runs + lines + 1;
  }

  LineState(LineModel model, Cells cells) {
    this.model = model;
    this.cells = cells;
    runs = model.bounds().kinds().size();
    lines = model.bounds().capacity().size();
    last = 0;
    turns = last + lines;
    places = turns + runs;
    slots = places + runs * lines;
    since = slots + runs * lines;
    phases = since + runs;
    stages = phases + runs;
    retried = stages + runs;
    paused = retried + runs;
    reopened = paused + runs;
    changed = reopened + runs;
    hints = changed + lines;
  }

  Cells cells() {
    return cells;
  }

  static String name(int line) {
    return String.valueOf((char) ('A' + line));
  }

  // --- what the server knows

  Phase phase(int run) {
    return PHASES.get(cells.get(phases + run));
  }

  private void phase(int run, Phase next) {
    cells.set(phases + run, PHASES.indexOf(next));
  }

  private int stage(int run) {
    return cells.get(stages + run);
  }

  private boolean is(Mutant mutant) {
    return model.mutant() == mutant;
  }

  private boolean isHeldToTheEnd(int run, int line) {
    return (model.bounds().kinds().get(run).stages().getFirst() & 1 << line) != 0;
  }

  /** The lines of the current stage. */
  private int lines(int run) {
    return model.bounds().kinds().get(run).stages().get(stage(run));
  }

  private boolean needs(int run, int line) {
    return (lines(run) & 1 << line) != 0;
  }

  private int place(int run, int line) {
    return places + run * lines + line;
  }

  private int slot(int run, int line) {
    return slots + run * lines + line;
  }

  boolean isAlive(int run) {
    return switch (phase(run)) {
      case NEW, FAILED, FAILED_WAITING, ENDED -> false;
      case WAITING, DUE, READY, HELD, RETRY, PAUSED, PAUSED_HELD, PAUSED_WAITING -> true;
    };
  }

  private boolean hasStarted(int run) {
    return isAlive(run) && !(stage(run) == 0 && phase(run) == Phase.WAITING);
  }

  /** Whether the server counts the run under a limit. */
  private boolean counts(int run, int line) {
    if (isHeldToTheEnd(run, line)) {
      return hasStarted(run);
    }
    return cells.get(slot(run, line)) != 0
        && cells.get(slot(run, line)) == cells.get(turns + run)
        && (needs(run, line) || is(Mutant.TURN_COUNTS_IN_EACH_LINE))
        && switch (phase(run)) {
          case READY, HELD -> true;
          case PAUSED_HELD -> !is(Mutant.PAUSE_FREES_HELD_SLOT);
          case RETRY -> is(Mutant.SLOT_KEPT_IN_RETRY_PAUSE);
          case NEW, WAITING, DUE, PAUSED, PAUSED_WAITING, FAILED, FAILED_WAITING, ENDED -> false;
        };
  }

  private int capacity(int line) {
    return model.bounds().capacity().get(line) - (cells.get(changed + line) == 1 ? 1 : 0);
  }

  private boolean hasRoom(int line) {
    var count = 0;
    for (var run = 0; run < runs; run++) {
      count += counts(run, line) ? 1 : 0;
    }
    return count < capacity(line);
  }

  private boolean hasPlace(int run, int line) {
    return phase(run) == Phase.WAITING
        && cells.get(place(run, line)) != 0
        && (cells.get(place(run, line)) == cells.get(turns + run) || is(Mutant.TURN_FOR_EACH_LINE))
        && (needs(run, line) || is(Mutant.TURN_COUNTS_IN_EACH_LINE));
  }

  /** The first run of a line, or -1. */
  int first(int line) {
    var first = NONE;
    for (var run = 0; run < runs; run++) {
      if (hasPlace(run, line)
          && (first == NONE || cells.get(place(run, line)) < cells.get(place(first, line)))) {
        first = run;
      }
    }
    return first;
  }

  private boolean canStart(int run) {
    for (var line = 0; line < lines; line++) {
      if (needs(run, line) && !(first(line) == run && hasRoom(line))) {
        return false;
      }
    }
    return true;
  }

  // --- the decisions

  /** A run that starts, or whose step is due: it continues at once, or waits. */
  void enter(int run, boolean ahead) {
    var mayPass = is(Mutant.NEWCOMER_IGNORES_LINE);
    var free = true;
    for (var line = 0; line < lines; line++) {
      free &= !needs(run, line) || (hasRoom(line) && (mayPass || first(line) == NONE));
    }
    if (!free) {
      draw(run, ahead);
      await(run);
    } else {
      if (stage(run) > 0 && lines(run) != 0) {
        draw(run, ahead);
      }
      proceed(run);
    }
  }

  /** One number for all lines, larger than all earlier ones in each of them. */
  private void draw(int run, boolean ahead) {
    var turn = 1 + (ahead ? cells.max(last, since) : 0);
    for (var line = 0; line < lines; line++) {
      turn = needs(run, line) ? Math.max(turn, 1 + cells.get(last + line)) : turn;
    }
    cells.set(turns + run, turn);
    for (var line = 0; line < lines; line++) {
      if (needs(run, line) && model.bounds().of(Extra.EQUAL_TURNS) > 0) {
        cells.set(last + line, turn);
      }
    }
  }

  private void await(int run) {
    phase(run, Phase.WAITING);
    for (var line = 0; line < lines; line++) {
      if (needs(run, line)) {
        cells.set(place(run, line), cells.get(turns + run));
        if (is(Mutant.TURN_FOR_EACH_LINE) && line == 1) {
          passLast(run, line);
        }
      }
    }
    cells.set(since + run, 1 + cells.max(since, since + runs));
  }

  /** The number was drawn before the lock: the last run of the line was faster. */
  private void passLast(int run, int line) {
    var before = NONE;
    for (var other = 0; other < runs; other++) {
      if (other != run
          && hasPlace(other, line)
          && (before == NONE || cells.get(place(other, line)) > cells.get(place(before, line)))) {
        before = other;
      }
    }
    if (before != NONE) {
      var turn = cells.get(place(before, line));
      cells.set(place(before, line), cells.get(place(run, line)));
      cells.set(place(run, line), turn);
    }
  }

  /** The run has what it needs for its stage. */
  private void proceed(int run) {
    for (var line = 0; line < lines; line++) {
      for (var other = 0; other < runs && needs(run, line); other++) {
        if (other != run && waitsBefore(other, run, line)) {
          broken = Optional.of(Rule.FIFO);
        }
      }
      if (needs(run, line) && !isHeldToTheEnd(run, line)) {
        cells.set(slot(run, line), cells.get(turns + run));
      }
    }
    cells.set(since + run, 0);
    var isStart = stage(run) == 0;
    var hasSteps = model.bounds().kinds().get(run).stages().size() > 1;
    if (!isStart) {
      phase(run, Phase.READY);
    } else {
      cells.set(turns + run, 0);
      phase(run, hasSteps ? Phase.DUE : Phase.HELD);
    }
    for (var line = 0; line < lines; line++) {
      if (needs(run, line) && running(line) > capacity(line)) {
        broken = Optional.of(Rule.CAPACITY);
      }
    }
    if (isStart && hasSteps) {
      cells.set(stages + run, 1);
    }
  }

  void takeHint(int line) {
    cells.remove(hints, 1 << line);
    admit(line);
  }

  /** Admits the first runs of a line. */
  void admit(int line) {
    for (var admitted = 0; admitted < BOUND; admitted++) {
      var run = first(line);
      if (run == NONE || !canStart(run)) {
        return;
      }
      var passed = lines(run);
      for (var other = 0; other < lines; other++) {
        if ((passed & 1 << other) != 0) {
          leave(other, cells.get(place(run, other)));
        }
      }
      proceed(run);
      if (!is(Mutant.ONLY_PASSED_LINE_IS_CHECKED)) {
        hint(passed & ~(1 << line));
      }
    }
    if (first(line) != NONE && !is(Mutant.NO_HINT_BEYOND_BOUND)) {
      hint(1 << line);
    }
  }

  /** Deletes the places up to a turn. */
  private void leave(int line, int turn) {
    for (var run = 0; run < runs; run++) {
      if (cells.get(place(run, line)) <= turn) {
        cells.set(place(run, line), 0);
      }
    }
  }

  private void hint(int passed) {
    if (model.hints()) {
      cells.add(hints, passed);
    }
  }

  void grant(int run) {
    phase(run, Phase.HELD);
  }

  void complete(int run) {
    var stage = stage(run);
    if (stage == 0 || stage + 1 == model.bounds().kinds().get(run).stages().size()) {
      end(run, Phase.ENDED);
    } else {
      release(run);
      cells.set(stages + run, stage + 1);
      cells.set(retried + run, 0);
      phase(run, phase(run) == Phase.HELD ? Phase.DUE : Phase.PAUSED);
    }
  }

  /** The end of an attempt, or of a wait for a step. */
  private void release(int run) {
    hint(lines(run));
    cells.set(turns + run, 0);
    for (var line = 0; line < lines && model.bounds().of(Extra.EQUAL_TURNS) == 0; line++) {
      cells.set(slot(run, line), 0); // the turn never comes again
      cells.set(place(run, line), 0);
    }
    cells.set(since + run, 0);
  }

  void fail(int run) {
    if (stage(run) == 0 || cells.get(retried + run) == model.bounds().of(Extra.RETRIES)) {
      end(run, Phase.FAILED);
      return;
    }
    cells.set(retried + run, cells.get(retried + run) + 1);
    if (phase(run) == Phase.HELD && is(Mutant.SLOT_KEPT_IN_RETRY_PAUSE)) {
      phase(run, Phase.RETRY);
      return;
    }
    release(run);
    phase(run, phase(run) == Phase.HELD ? Phase.RETRY : Phase.PAUSED);
  }

  void retry(int run) {
    phase(run, is(Mutant.SLOT_KEPT_IN_RETRY_PAUSE) ? Phase.READY : Phase.DUE);
  }

  boolean mayPause(int run) {
    return cells.get(paused + run) < model.bounds().of(Extra.PAUSES)
        && switch (phase(run)) {
          // a run that has not started is not paused
          case WAITING, DUE, READY, HELD, RETRY -> stage(run) > 0;
          case NEW, PAUSED, PAUSED_HELD, PAUSED_WAITING, FAILED, FAILED_WAITING, ENDED -> false;
        };
  }

  void pause(int run) {
    cells.set(paused + run, cells.get(paused + run) + 1);
    switch (phase(run)) {
      case HELD -> phase(run, Phase.PAUSED_HELD);
      case WAITING, READY -> {
        var keepsPlace = phase(run) == Phase.WAITING && is(Mutant.PAUSE_KEEPS_PLACE);
        if (keepsPlace) {
          hint(lines(run));
          cells.set(since + run, 0);
        } else {
          release(run);
        }
        phase(run, keepsPlace ? Phase.PAUSED_WAITING : Phase.PAUSED);
      }
      default -> phase(run, Phase.PAUSED);
    }
  }

  boolean isPaused(int run) {
    return switch (phase(run)) {
      case PAUSED, PAUSED_HELD, PAUSED_WAITING -> true;
      case NEW, WAITING, DUE, READY, HELD, RETRY, FAILED, FAILED_WAITING, ENDED -> false;
    };
  }

  void resume(int run) {
    switch (phase(run)) {
      case PAUSED_HELD -> phase(run, Phase.HELD);
      case PAUSED_WAITING -> {
        phase(run, Phase.WAITING);
        cells.set(since + run, 1 + cells.max(since, since + runs));
      }
      default -> phase(run, Phase.DUE);
    }
  }

  void cancel(int run) {
    end(run, Phase.ENDED);
  }

  /** The deadline of a run that waits. */
  void expire(int run) {
    end(run, stage(run) == 0 ? Phase.FAILED_WAITING : Phase.FAILED);
  }

  private void end(int run, Phase ended) {
    switch (phase(run)) {
      case WAITING -> {
        if (ended != Phase.ENDED || !is(Mutant.NO_HINT_WHEN_WAITING_RUN_IS_CANCELLED)) {
          hint(lines(run));
        }
      }
      case READY, HELD, PAUSED_HELD -> hint(lines(run));
      default -> {}
    }
    if (hasStarted(run)) {
      hint(model.bounds().kinds().get(run).stages().getFirst());
    }
    cells.set(since + run, 0);
    phase(run, ended);
    if (ended != Phase.FAILED_WAITING) {
      cells.set(turns + run, 0);
    }
    if (ended == Phase.ENDED || !mayReopen(run)) {
      forget(run);
    }
  }

  /** A run that never waits again: its places and slots stay dead. */
  private void forget(int run) {
    phase(run, Phase.ENDED);
    for (var line = 0; line < lines; line++) {
      cells.set(slot(run, line), 0);
      cells.set(place(run, line), 0);
    }
    for (var cell : new int[] {turns, stages, retried, paused, reopened}) {
      cells.set(cell + run, 0);
    }
  }

  boolean mayReopen(int run) {
    return cells.get(reopened + run) < model.bounds().of(Extra.REOPENS);
  }

  /**
   * RetryRun: a run that had started takes its limits even above their numbers, any other goes to
   * the end of its lines.
   */
  void reopen(int run, boolean ahead) {
    cells.set(reopened + run, cells.get(reopened + run) + 1);
    if (phase(run) == Phase.FAILED) {
      phase(run, stage(run) == 0 ? Phase.HELD : Phase.DUE);
    } else if (is(Mutant.RETRY_KEEPS_TURN)) {
      phase(run, Phase.WAITING);
      cells.set(since + run, 1 + cells.max(since, since + runs));
    } else {
      enter(run, ahead);
    }
  }

  boolean limitMayChange(int line) {
    return model.bounds().of(Extra.LIMIT_CHANGES) > 0
        && model.bounds().capacity().get(line) > 1
        && cells.get(changed + line) < 2;
  }

  void changeLimit(int line) {
    cells.set(changed + line, cells.get(changed + line) + 1);
    hint(cells.get(changed + line) == 2 ? 1 << line : 0);
  }

  // --- the rules, by what really happens

  boolean isHinted(int line) {
    return cells.has(hints, line);
  }

  /** Whether an equal run has not started: then that one starts first. */
  boolean isTwinOfNew(int run) {
    for (var other = 0; other < run; other++) {
      if (phase(other) == Phase.NEW
          && model.bounds().kinds().get(other).equals(model.bounds().kinds().get(run))) {
        return true;
      }
    }
    return false;
  }

  private boolean runs(int run, int line) {
    if (isHeldToTheEnd(run, line)) {
      return hasStarted(run);
    }
    return needs(run, line)
        && switch (phase(run)) {
          case READY, HELD, PAUSED_HELD -> true;
          case NEW, WAITING, DUE, RETRY, PAUSED, PAUSED_WAITING, FAILED, FAILED_WAITING, ENDED ->
              false;
        };
  }

  private int running(int line) {
    var running = 0;
    for (var run = 0; run < runs; run++) {
      running += runs(run, line) ? 1 : 0;
    }
    return running;
  }

  /** Whether a run waits in a line for longer than another one that waits there or comes new. */
  private boolean waitsBefore(int first, int second, int line) {
    return phase(first) == Phase.WAITING
        && needs(first, line)
        && (phase(second) != Phase.WAITING || cells.get(since + first) < cells.get(since + second));
  }

  /** Whether a run that waits ought to start. */
  private boolean oughtToStart(int run) {
    for (var line = 0; line < lines; line++) {
      if (needs(run, line)) {
        if (running(line) >= capacity(line)) {
          return false;
        }
        for (var other = 0; other < runs; other++) {
          if (other != run && waitsBefore(other, run, line)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  Optional<Rule> broken() {
    var someWait = false;
    var someMove = false;
    var someCanStart = false;
    for (var run = 0; run < runs; run++) {
      var waits = phase(run) == Phase.WAITING;
      someWait |= waits;
      someMove |= isAlive(run) && !waits;
      someCanStart |= waits && canStart(run);
    }
    if (someWait && !someMove && !someCanStart) {
      return Optional.of(Rule.STUCK);
    }
    for (var run = 0; run < runs; run++) {
      if (phase(run) == Phase.WAITING && oughtToStart(run)) {
        if (!canStart(run)) {
          return Optional.of(Rule.SCAN);
        }
        if (model.hints() && (cells.get(hints) & lines(run)) == 0) {
          return Optional.of(Rule.HINT);
        }
      }
    }
    return Optional.empty();
  }

  Model.Step reached(String name) {
    cells.rank(last, since);
    cells.rank(since, phases);
    return new Model.Step(name, cells, broken);
  }

  @Override
  public String toString() {
    return IntStream.range(0, runs)
        .filter(run -> phase(run) != Phase.NEW)
        .mapToObj(this::describe)
        .collect(
            Collectors.joining(
                ", ",
                "",
                IntStream.range(0, lines)
                    .filter(this::isHinted)
                    .mapToObj(line -> ", hint " + name(line))
                    .collect(Collectors.joining())));
  }

  private String describe(int run) {
    return "r"
        + (run + 1)
        + " "
        + phase(run)
        + IntStream.range(0, lines)
            .filter(line -> isAlive(run) && needs(run, line))
            .mapToObj(
                line -> " " + name(line) + (hasPlace(run, line) ? cells.get(place(run, line)) : ""))
            .collect(Collectors.joining());
  }
}
