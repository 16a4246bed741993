package dev.hapax.domain.definition;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import dev.hapax.domain.json.JsonPointer;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How many runs may be at the steps that name this limit, or how many runs the definitions that
 * name it may have, and how many of them start in a time, for each value of its key.
 *
 * @param name shared by all steps of the workspace that name it; likewise by all definitions
 * @param maxRunning for the runs of this step or definition; a setting of an operator comes before
 *     it. 0 = any number
 * @param rate the same; empty = no limit of starts
 */
public record Limit(String name, Key key, int maxRunning, Optional<Rate> rate) {
  /** The largest number of limits of one step, or of one definition. */
  public static final int MOST_OF_STEP = 4;

  public static final int MAX_RUNNING = 1_000;

  public Limit {
    Text.requiredName(name);
    if (maxRunning != 0 || rate.isEmpty()) {
      requireMaxRunning(maxRunning);
    }
  }

  /** Returns the number, or throws if it is out of bounds. */
  public static int requireMaxRunning(int maxRunning) {
    if (maxRunning < 1 || maxRunning > MAX_RUNNING) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "must be between 1 and 1,000 (was %d)", maxRunning));
    }
    return maxRunning;
  }

  /** Where a run has its value of the key: each value has a line of its own. */
  public sealed interface Key {
    /** The value; empty = the run has none, and is in the line of all those. */
    Optional<String> in(Payload input, Map<String, String> labels);
  }

  /** All runs are in one line. */
  public record NoKey() implements Key {
    @Override
    public Optional<String> in(Payload input, Map<String, String> labels) {
      return Optional.empty();
    }
  }

  /** A string, number or boolean in the input. */
  public record InputKey(JsonPointer pointer) implements Key {
    public InputKey {
      Text.requiredName(pointer.text());
    }

    @Override
    public Optional<String> in(Payload input, Map<String, String> labels) {
      return input instanceof Payload.Json(var text) ? pointer.scalarIn(text) : Optional.empty();
    }
  }

  /** A label. */
  public record LabelKey(String label) implements Key {
    public LabelKey {
      Text.requiredName(label);
    }

    @Override
    public Optional<String> in(Payload input, Map<String, String> labels) {
      return Optional.ofNullable(labels.get(label));
    }
  }
}
