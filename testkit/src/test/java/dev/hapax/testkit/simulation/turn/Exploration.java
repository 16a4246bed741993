package dev.hapax.testkit.simulation.turn;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Visits every reachable state of a model breadth-first, until one breaks a rule. */
final class Exploration {
  private final Model model;
  private final Map<Cells, Integer> numbers = new HashMap<>();
  private final List<Cells> states = new ArrayList<>();
  private final List<Integer> parents = new ArrayList<>();

  private Exploration(Model model) {
    this.model = model;
  }

  /**
   * The result.
   *
   * @param states how many states were visited
   */
  record Result(int states, Optional<Counterexample> counterexample) {}

  /** The shortest way to a broken rule, one line for each step. */
  record Counterexample(Rule rule, List<String> trace) {
    @Override
    public String toString() {
      return rule + " is broken:\n  " + String.join("\n  ", trace);
    }
  }

  static Result of(Model model) {
    var exploration = new Exploration(model);
    var counterexample = exploration.explore();
    return new Result(exploration.states.size(), counterexample);
  }

  private Optional<Counterexample> explore() {
    visit(model.initial(), -1);
    for (var number = 0; number < states.size(); number++) {
      for (var step : model.steps(states.get(number))) {
        var broken = step.broken();
        if (visit(step.after(), number) && broken.isEmpty()) {
          broken = model.broken(step.after());
        }
        if (broken.isPresent()) {
          return Optional.of(new Counterexample(broken.get(), trace(number, step)));
        }
      }
    }
    return Optional.empty();
  }

  /** Whether the state is new. */
  private boolean visit(Cells state, int parent) {
    if (numbers.putIfAbsent(state, states.size()) != null) {
      return false;
    }
    states.add(state);
    parents.add(parent);
    return true;
  }

  private List<String> trace(int last, Model.Step broken) {
    var trace = new ArrayList<String>();
    trace.add(format(broken));
    for (var number = last; number > 0; number = parents.get(number)) {
      var state = states.get(number);
      var step =
          model.steps(states.get(parents.get(number))).stream()
              .filter(found -> found.after().equals(state))
              .findFirst();
      trace.add(format(step.orElseThrow()));
    }
    return trace.reversed();
  }

  private String format(Model.Step step) {
    return step.name() + " -> " + model.describe(step.after());
  }
}
