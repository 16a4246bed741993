package dev.hapax.testkit.simulation.turn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The lines of limits: a run holds some limits from its start to its end, and others while its step
 * is ready or held. A token is a limit of 1. Any commit that frees a limit hints it.
 *
 * @param hints whether hints arrive; otherwise all are lost, and only the scan starts runs
 */
record LineModel(Bounds bounds, boolean hints, Mutant mutant) implements Model {

  /**
   * What a run needs.
   *
   * @param stages sets of lines: those it holds from start to end, then those of each step
   */
  record Kind(List<Integer> stages) {}

  /**
   * The size of the model.
   *
   * @param states how many it has at least, with hints and without
   * @param capacity of each line
   * @param kinds of the runs; each starts once
   */
  record Bounds(
      String name,
      int states,
      List<Integer> capacity,
      List<Kind> kinds,
      Map<Extra, Integer> extras) {
    int of(Extra extra) {
      return extras.getOrDefault(extra, 0);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @Override
  public Cells initial() {
    return new LineState(this).cells();
  }

  @Override
  public List<Step> steps(Cells state) {
    var steps = new Steps(this, state, new ArrayList<>());
    var before = new LineState(this, state);
    for (var run = 0; run < bounds.kinds.size(); run++) {
      steps.addAll(before, run);
    }
    for (var line = 0; line < bounds.capacity.size(); line++) {
      var passed = line;
      if (before.isHinted(line)) {
        steps.add("hint " + LineState.name(line), after -> after.takeHint(passed));
      }
      if (before.first(line) >= 0) {
        steps.add("scan " + LineState.name(line), after -> after.admit(passed));
      }
      if (before.limitMayChange(line)) {
        steps.add("set the limit of " + LineState.name(line), after -> after.changeLimit(passed));
      }
    }
    return steps.found;
  }

  @Override
  public Optional<Rule> broken(Cells state) {
    return new LineState(this, state).broken();
  }

  @Override
  public String describe(Cells state) {
    return new LineState(this, state).toString();
  }

  private record Steps(LineModel model, Cells before, List<Step> found) {
    void add(String name, Consumer<LineState> change) {
      var after = new LineState(model, before.copy());
      change.accept(after);
      found.add(after.reached(name));
    }

    /** A step that may draw a turn. */
    void draw(String name, BiConsumer<LineState, Boolean> change) {
      add(name, after -> change.accept(after, true));
      if (model.bounds.of(Extra.EQUAL_TURNS) > 0) {
        add(name, after -> change.accept(after, false));
      }
    }

    void addAll(LineState state, int run) {
      var of = " r" + (run + 1);
      switch (state.phase(run)) {
        case NEW -> {
          if (!state.isTwinOfNew(run)) {
            draw("start" + of, (after, ahead) -> after.enter(run, ahead));
          }
        }
        case DUE -> draw("enter the step of" + of, (after, ahead) -> after.enter(run, ahead));
        case READY -> add("grant" + of, after -> after.grant(run));
        case HELD, PAUSED_HELD -> {
          add("complete the step of" + of, after -> after.complete(run));
          add("fail" + of, after -> after.fail(run));
        }
        case WAITING -> add("fail, by its deadline," + of, after -> after.expire(run));
        case RETRY -> add("retry the step of" + of, after -> after.retry(run));
        case FAILED, FAILED_WAITING -> {
          if (state.mayReopen(run)) {
            draw("RetryRun" + of, (after, ahead) -> after.reopen(run, ahead));
          }
        }
        case PAUSED, PAUSED_WAITING, ENDED -> {}
      }
      if (state.mayPause(run)) {
        add("pause" + of, after -> after.pause(run));
      }
      if (state.isPaused(run)) {
        add("resume" + of, after -> after.resume(run));
      }
      if (state.isAlive(run)) {
        add("cancel" + of, after -> after.cancel(run));
      }
    }
  }
}
