package dev.hapax.testkit.simulation.turn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The lines of hook tokens: an owner is marked with the tokens for which runs wait behind it, and
 * its end hints these tokens only.
 *
 * @param hints whether hints arrive; otherwise all are lost, and only the scan passes turns
 */
record MarkModel(Bounds bounds, boolean hints, Mutant mutant) implements Model {

  /** What a start does about a token that is not free. */
  enum Policy {
    REJECT,
    SUPERSEDE,
    QUEUE,
    /** With a limit of 1: the run replaces those that wait. */
    QUEUE_LATEST
  }

  /**
   * A start.
   *
   * @param tokens the set of its tokens
   */
  record Kind(Policy policy, int tokens) {}

  /**
   * The size of the model.
   *
   * @param states how many it has at least, with hints and without
   * @param kinds of the runs; each starts once
   */
  record Bounds(String name, int states, List<Kind> kinds, Map<Extra, Integer> extras) {
    int tokens() {
      var all = kinds.stream().mapToInt(Kind::tokens).reduce(0, (some, more) -> some | more);
      return Integer.bitCount(all);
    }

    int of(Extra extra) {
      return extras.getOrDefault(extra, 0);
    }

    boolean has(Extra extra) {
      return of(extra) > 0;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @Override
  public Cells initial() {
    return new MarkState(this).cells();
  }

  @Override
  public List<Step> steps(Cells state) {
    var steps = new Steps(this, state, new ArrayList<>());
    var before = new MarkState(this, state);
    for (var run = 0; run < bounds.kinds.size(); run++) {
      steps.addRun(before, run);
    }
    for (var token = 0; token < bounds.tokens(); token++) {
      steps.addToken(before, token);
    }
    return steps.found;
  }

  @Override
  public Optional<Rule> broken(Cells state) {
    return new MarkState(this, state).broken();
  }

  @Override
  public String describe(Cells state) {
    return new MarkState(this, state).toString();
  }

  private record Steps(MarkModel model, Cells before, List<Step> found) {
    void add(String name, Consumer<MarkState> change) {
      var after = new MarkState(model, before.copy());
      change.accept(after);
      if (!after.cells().equals(before)) {
        found.add(after.reached(name));
      }
    }

    void addRun(MarkState state, int run) {
      var of = " r" + (run + 1);
      switch (state.phase(run)) {
        case NEW -> {
          if (!state.isTwinOfNew(run)) {
            var policy = model.bounds.kinds.get(run).policy();
            add("start" + of + " " + policy, after -> after.start(run));
          }
        }
        case WAITING -> {
          add("cancel" + of, after -> after.end(run, MarkState.Phase.ENDED));
          add(
              "fail, by its deadline," + of,
              after -> after.end(run, MarkState.Phase.FAILED_WAITING));
          if (model.mutant == Mutant.NO_HINT_WHEN_RUN_WAITS_AGAIN && state.mayReopen(run)) {
            add("in one batch: fail, RetryRun" + of, after -> after.waitAgain(run));
          }
        }
        case ACTIVE -> {
          add("complete" + of, after -> after.end(run, MarkState.Phase.ENDED));
          add("fail" + of, after -> after.end(run, MarkState.Phase.FAILED));
          add("block the step of" + of, after -> after.block(run));
        }
        case STEP_WAITING -> {
          add("cancel" + of, after -> after.end(run, MarkState.Phase.ENDED));
          add("admit the step of" + of, after -> after.unblock(run));
        }
        case FAILED_WAITING -> add("RetryRun" + of, after -> after.reopen(run));
        case FAILED -> {
          add("RetryRun" + of, after -> after.reopen(run));
          if (model.mutant == Mutant.NO_HINT_WHEN_RUN_ENDS_AGAIN) {
            add("in one batch: RetryRun, hints, cancel" + of, after -> after.endAgain(run));
          }
        }
        case ENDED, PURGED -> {}
      }
      if (model.bounds.has(Extra.PURGES) && state.isEnded(run)) {
        add("purge" + of, after -> after.purge(run));
      }
      for (var token = 0; token < model.bounds.tokens() && state.mayCreateHook(run); token++) {
        var wanted = token;
        var hook = of + " " + MarkState.name(token);
        add("CreateHook" + hook, after -> after.createHook(run, wanted, false));
        add("CreateHook SUPERSEDE" + hook, after -> after.createHook(run, wanted, true));
      }
    }

    void addToken(MarkState state, int token) {
      var of = " " + MarkState.name(token);
      if (state.isHinted(token)) {
        add("hint" + of, after -> after.takeHint(token));
      }
      if (state.first(token) >= 0) {
        add("scan" + of, after -> after.pass(token));
      }
      if (state.mayDispose(token)) {
        add("DisposeHook" + of, after -> after.dispose(token));
      }
      add("end of the retention of" + of, after -> after.expire(token));
    }
  }
}
