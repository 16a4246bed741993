package dev.hapax.testkit.simulation.turn;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A state of {@link MarkModel}, with the decisions of the server. */
final class MarkState {
  enum Phase {
    NEW,
    WAITING,
    ACTIVE,
    /** The run owns its tokens, and its step waits for a limit. A paused owner is the same here. */
    STEP_WAITING,
    FAILED,
    /** The run failed in the lines that it needed for its start. */
    FAILED_WAITING,
    ENDED,
    PURGED
  }

  private static final List<Phase> PHASES = List.of(Phase.values());
  private static final int NONE = -1;

  private final MarkModel model;
  private final Cells cells;
  private final int runs;
  private final int tokens;
  private Optional<Rule> broken = Optional.empty();

  // the layout: turns first, since only their order counts
  private final int last;
  private final int turns;
  private final int since;
  private final int phases;
  private final int places;
  private final int marks;
  private final int held;
  private final int reopened;
  private final int owners;
  private final int disposed;
  private final int retained;
  private final int hints;
  private final int createdHooks;
  private final int disposedHooks;

  MarkState(MarkModel model) {
    this(model, new Cells(2 * model.bounds().tokens() + 7 * model.bounds().kinds().size() + 5));
  }

  MarkState(MarkModel model, Cells cells) {
    this.model = model;
    this.cells = cells;
    runs = model.bounds().kinds().size();
    tokens = model.bounds().tokens();
    last = 0;
    turns = last + tokens;
    since = turns + runs;
    phases = since + runs;
    places = phases + runs;
    marks = places + runs;
    held = marks + runs;
    reopened = held + runs;
    owners = reopened + runs;
    disposed = owners + tokens;
    retained = disposed + 1;
    hints = retained + 1;
    createdHooks = hints + 1;
    disposedHooks = createdHooks + 1;
  }

  Cells cells() {
    return cells;
  }

  static String name(int token) {
    return String.valueOf((char) ('A' + token));
  }

  // --- what the server knows

  Phase phase(int run) {
    return PHASES.get(cells.get(phases + run));
  }

  private void phase(int run, Phase next) {
    cells.set(phases + run, PHASES.indexOf(next));
  }

  private boolean is(Mutant mutant) {
    return model.mutant() == mutant;
  }

  private int wanted(int run) {
    return model.bounds().kinds().get(run).tokens();
  }

  private boolean wants(int run, int token) {
    return (wanted(run) & 1 << token) != 0;
  }

  private boolean isAlive(int run) {
    return switch (phase(run)) {
      case WAITING, ACTIVE, STEP_WAITING -> true;
      case NEW, FAILED, FAILED_WAITING, ENDED, PURGED -> false;
    };
  }

  boolean isEnded(int run) {
    return switch (phase(run)) {
      case FAILED, FAILED_WAITING, ENDED -> true;
      case NEW, WAITING, ACTIVE, STEP_WAITING, PURGED -> false;
    };
  }

  /** The living owner of a token, or -1. */
  private int owner(int token) {
    var owner = cells.get(owners + token) - 1;
    return owner != NONE && !cells.has(disposed, token) && isAlive(owner) ? owner : NONE;
  }

  /** The owner of a token, which may have ended, or -1. */
  private int keeper(int token) {
    return cells.has(retained, token) ? cells.get(owners + token) - 1 : owner(token);
  }

  private boolean hasPlace(int run, int token) {
    return phase(run) == Phase.WAITING
        && cells.has(places + run, token)
        && cells.get(last + token) != 0; // else the line is not loaded
  }

  /** The first run of a line, or -1. */
  int first(int token) {
    var first = NONE;
    for (var run = 0; run < runs; run++) {
      if (hasPlace(run, token)
          && (first == NONE || cells.get(turns + run) < cells.get(turns + first))) {
        first = run;
      }
    }
    return first;
  }

  private boolean canStart(int run) {
    for (var token = 0; token < tokens; token++) {
      if (wants(run, token) && !(first(token) == run && owner(token) == NONE)) {
        return false;
      }
    }
    return true;
  }

  /** Whether no run owns the tokens that a run wants, nor waits for one of them. */
  private boolean isFree(int run, boolean forQueue) {
    for (var token = 0; token < tokens; token++) {
      if (wants(run, token)
          && ((forQueue ? owner(token) : keeper(token)) != NONE || first(token) != NONE)) {
        return false;
      }
    }
    return true;
  }

  // --- the decisions

  void start(int run) {
    switch (model.bounds().kinds().get(run).policy()) {
      case REJECT -> {
        if (isFree(run, false)) {
          checkOrder(run, wanted(run));
          own(run, wanted(run));
        }
      }
      case SUPERSEDE -> supersede(run, wanted(run), is(Mutant.SUPERSEDE_WITHOUT_MARK));
      case QUEUE -> queue(run);
      case QUEUE_LATEST -> {
        for (var other = 0; other < runs; other++) {
          if (phase(other) == Phase.WAITING && (wanted(other) & wanted(run)) != 0) {
            end(other, Phase.ENDED);
          }
        }
        queue(run);
      }
    }
  }

  private void queue(int run) {
    if (isFree(run, !is(Mutant.RETENTION_DELAYS_QUEUE))) {
      checkOrder(run, wanted(run));
      own(run, wanted(run));
      return;
    }
    var turn = 1;
    for (var token = 0; token < tokens; token++) {
      turn = wants(run, token) ? Math.max(turn, 1 + cells.get(last + token)) : turn;
    }
    cells.set(turns + run, turn);
    for (var token = 0; token < tokens; token++) {
      if (wants(run, token)) {
        cells.set(last + token, turn);
        if (owner(token) != NONE && !is(Mutant.OWNER_NOT_MARKED)) {
          cells.add(marks + owner(token), 1 << token);
        }
      }
    }
    cells.set(places + run, wanted(run));
    cells.add(marks + run, wanted(run));
    phase(run, Phase.WAITING);
    cells.set(since + run, 1 + cells.max(since, since + runs));
  }

  /** Takes tokens from their living owners, before the runs that wait for them. */
  private void supersede(int run, int taken, boolean unmarked) {
    for (var token = 0; token < tokens; token++) {
      if ((taken & 1 << token) != 0) {
        var former = owner(token);
        if (former == NONE && model.bounds().has(Extra.SUPERSEDED_WAITING)) {
          former = first(token);
        }
        if (former != NONE && former != run) {
          end(former, Phase.ENDED);
        }
      }
    }
    for (var token = 0; token < tokens && !unmarked; token++) {
      if ((taken & 1 << token) != 0 && first(token) != NONE) {
        cells.add(marks + run, 1 << token);
      }
    }
    own(run, taken);
  }

  private void own(int run, int taken) {
    if (phase(run) != Phase.WAITING && phase(run) != Phase.STEP_WAITING) {
      phase(run, Phase.ACTIVE);
    }
    for (var token = 0; token < tokens; token++) {
      if ((taken & 1 << token) != 0) {
        cells.set(owners + token, run + 1);
      }
    }
    cells.remove(disposed, taken);
    cells.remove(retained, taken);
    cells.add(held + run, taken);
  }

  void takeHint(int token) {
    cells.remove(hints, 1 << token);
    pass(token);
  }

  /** Gives a token that no run owns to the first run of its line. */
  void pass(int token) {
    var run = first(token);
    if (owner(token) != NONE || run == NONE || !canStart(run)) {
      return;
    }
    checkOrder(run, wanted(run));
    for (var other = 0; other < runs; other++) {
      if (cells.get(turns + other) <= cells.get(turns + run)) {
        cells.remove(places + other, wanted(run));
      }
    }
    cells.set(turns + run, 0);
    cells.set(since + run, 0);
    if (is(Mutant.MARKS_CLEARED_AT_ADMISSION)) {
      cells.set(marks + run, 0);
    }
    phase(run, Phase.ACTIVE);
    own(run, wanted(run));
    hint(wanted(run) & ~(1 << token));
  }

  private void hint(int passed) {
    if (model.hints()) {
      cells.add(hints, passed);
    }
  }

  void end(int run, Phase ended) {
    hint(cells.get(marks + run));
    for (var token = 0; token < tokens && model.bounds().has(Extra.RETENTION); token++) {
      if (owner(token) == run) {
        cells.add(retained, 1 << token);
      }
    }
    phase(run, ended);
    cells.set(since + run, 0);
    if (ended == Phase.ENDED || !mayReopen(run)) {
      forget(run);
    }
  }

  /** A run that never waits or owns again: its places stay dead. */
  private void forget(int run) {
    phase(run, Phase.ENDED);
    for (var cell : new int[] {turns, places, marks, held, reopened}) {
      cells.set(cell + run, 0);
    }
  }

  boolean mayReopen(int run) {
    return cells.get(reopened + run) < model.bounds().of(Extra.REOPENS);
  }

  /** RetryRun: an owner takes its tokens back, a run that waited goes to the end of its lines. */
  void reopen(int run) {
    if (phase(run) == Phase.FAILED) {
      takeBack(run);
      return;
    }
    cells.set(reopened + run, cells.get(reopened + run) + 1);
    cells.set(places + run, 0);
    cells.set(turns + run, 0);
    queue(run);
  }

  private void takeBack(int run) {
    var own = cells.get(held + run);
    for (var token = 0; token < tokens; token++) {
      var keeper = keeper(token);
      if ((own & 1 << token) != 0 && keeper != NONE && keeper != run) {
        return; // HOOK_CONFLICT
      }
    }
    cells.set(reopened + run, cells.get(reopened + run) + 1);
    for (var token = 0; token < tokens && !is(Mutant.RETRY_WITHOUT_MARK); token++) {
      if ((own & 1 << token) != 0 && first(token) != NONE) {
        cells.add(marks + run, 1 << token);
      }
    }
    own(run, own);
  }

  /** Only of {@link Mutant#NO_HINT_WHEN_RUN_ENDS_AGAIN}. */
  void endAgain(int run) {
    takeBack(run);
    for (var token = 0; token < tokens && isAlive(run); token++) {
      if (isHinted(token)) {
        takeHint(token);
      }
    }
    if (isAlive(run)) {
      cells.set(marks + run, 0);
      end(run, Phase.ENDED);
    }
  }

  /** Only of {@link Mutant#NO_HINT_WHEN_RUN_WAITS_AGAIN}. */
  void waitAgain(int run) {
    var hinted = cells.get(hints);
    end(run, Phase.FAILED_WAITING);
    reopen(run);
    cells.set(hints, hinted);
  }

  /** The step of an owner waits for a limit. */
  void block(int run) {
    phase(run, Phase.STEP_WAITING);
    if (is(Mutant.STEP_LINE_REPLACES_MARKS)) {
      cells.set(marks + run, 0);
    }
  }

  void unblock(int run) {
    phase(run, Phase.ACTIVE);
  }

  boolean mayCreateHook(int run) {
    return cells.get(createdHooks) < model.bounds().of(Extra.CREATED_HOOKS)
        && switch (phase(run)) {
          case ACTIVE, STEP_WAITING -> true;
          case WAITING -> is(Mutant.WAITING_RUN_CREATES_HOOK);
          case NEW, FAILED, FAILED_WAITING, ENDED, PURGED -> false;
        };
  }

  void createHook(int run, int token, boolean supersedes) {
    if (keeper(token) == run || (phase(run) == Phase.WAITING && wants(run, token))) {
      return;
    }
    if (supersedes) {
      supersede(run, 1 << token, is(Mutant.CREATE_HOOK_WITHOUT_MARK));
    } else if (keeper(token) == NONE && first(token) == NONE) {
      checkOrder(run, 1 << token);
      own(run, 1 << token);
    } else {
      return;
    }
    cells.set(createdHooks, cells.get(createdHooks) + 1);
  }

  boolean mayDispose(int token) {
    return cells.get(disposedHooks) < model.bounds().of(Extra.DISPOSED_HOOKS)
        && keeper(token) != NONE;
  }

  void dispose(int token) {
    cells.set(disposedHooks, cells.get(disposedHooks) + 1);
    cells.remove(held + keeper(token), 1 << token);
    cells.add(disposed, 1 << token);
    cells.remove(retained, 1 << token);
    hint(is(Mutant.DISPOSE_WITHOUT_HINT) ? 0 : 1 << token);
  }

  void expire(int token) {
    cells.remove(retained, 1 << token);
  }

  void purge(int run) {
    for (var token = 0; token < tokens; token++) {
      if (cells.get(owners + token) == run + 1) {
        cells.set(owners + token, 0);
        cells.remove(disposed, 1 << token);
        cells.remove(retained, 1 << token);
        if (first(token) == NONE || is(Mutant.PURGE_FORGETS_LINE)) {
          cells.set(last + token, 0);
        }
      }
    }
    forget(run);
    phase(run, Phase.PURGED);
  }

  // --- the rules, by what really happens

  boolean isHinted(int token) {
    return cells.has(hints, token);
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

  /** How many living runs have acquired a token, and not lost it. */
  private int owning(int token) {
    var owning = 0;
    for (var run = 0; run < runs; run++) {
      owning += isAlive(run) && cells.has(held + run, token) ? 1 : 0;
    }
    return owning;
  }

  private boolean waitsBefore(int first, int second, int token) {
    return phase(first) == Phase.WAITING
        && wants(first, token)
        && (phase(second) != Phase.WAITING || cells.get(since + first) < cells.get(since + second));
  }

  private boolean passes(int run, int acquired) {
    for (var token = 0; token < tokens; token++) {
      for (var other = 0; other < runs && (acquired & 1 << token) != 0; other++) {
        if (other != run && waitsBefore(other, run, token)) {
          return true;
        }
      }
    }
    return false;
  }

  private void checkOrder(int run, int acquired) {
    broken = passes(run, acquired) ? Optional.of(Rule.FIFO) : broken;
  }

  private boolean oughtToStart(int run) {
    for (var token = 0; token < tokens; token++) {
      if (wants(run, token) && owning(token) > 0) {
        return false;
      }
    }
    return !passes(run, wanted(run));
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
    for (var token = 0; token < tokens; token++) {
      if (owning(token) > 1) {
        return Optional.of(Rule.CAPACITY);
      }
    }
    for (var run = 0; run < runs; run++) {
      if (phase(run) == Phase.WAITING && oughtToStart(run)) {
        if (!canStart(run)) {
          return Optional.of(Rule.SCAN);
        }
        if (model.hints() && (cells.get(hints) & wanted(run)) == 0) {
          return Optional.of(Rule.HINT);
        }
      }
    }
    return Optional.empty();
  }

  Model.Step reached(String name) {
    for (var token = 0; token < tokens && !model.bounds().has(Extra.PURGES); token++) {
      var last = cells.get(owners + token) - 1;
      if (last != NONE && phase(last) == Phase.ENDED && !cells.has(retained, token)) {
        cells.set(owners + token, 0); // as if it never had an owner
        cells.remove(disposed, 1 << token);
      }
    }
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
                IntStream.range(0, tokens)
                    .filter(this::isHinted)
                    .mapToObj(token -> ", hint " + name(token))
                    .collect(Collectors.joining())));
  }

  private String describe(int run) {
    return "r"
        + (run + 1)
        + " "
        + phase(run)
        + names(isAlive(run) ? cells.get(held + run) : 0, " owns ")
        + names(phase(run) == Phase.WAITING ? cells.get(places + run) : 0, " waits for ")
        + names(cells.get(marks + run), " marked ");
  }

  private String names(int set, String before) {
    return set == 0
        ? ""
        : IntStream.range(0, tokens)
            .filter(token -> (set & 1 << token) != 0)
            .mapToObj(MarkState::name)
            .collect(Collectors.joining("", before, ""));
  }
}
