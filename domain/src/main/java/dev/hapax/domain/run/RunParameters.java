package dev.hapax.domain.run;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a run is given at its start and never changes.
 *
 * @param trace the span of the caller; empty = the caller sent none
 */
public record RunParameters(
    Payload input, Map<String, String> labels, Optional<TraceParent> trace, RunTimeouts timeouts) {
  public static final int MAX_LABELS = 32;

  public RunParameters {
    if (labels.size() > MAX_LABELS) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT, "has %d labels; at most %d are allowed", labels.size(), MAX_LABELS));
    }
    labels.forEach(
        (name, value) -> {
          Text.requiredName(name);
          Text.name(value);
        });
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
  }

  public RunParameters(Payload input, Map<String, String> labels) {
    this(input, labels, Optional.empty());
  }

  /** Those of a run that may take as long as its definition allows. */
  public RunParameters(Payload input, Map<String, String> labels, Optional<TraceParent> trace) {
    this(input, labels, trace, RunTimeouts.NONE);
  }

  /** The same with the timeout of the definition, unless the start has its own. */
  RunParameters within(Optional<Duration> timeout) {
    return new RunParameters(input, labels, trace, timeouts.or(timeout));
  }
}
