package dev.hapax.domain.run;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import java.time.Instant;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The parameters with which a run was started.
 *
 * @param notBefore the earliest time to begin
 * @param rememberedUntil the earliest time at which its idempotency key expires
 * @param trace the span of the caller that started it; empty = the caller sent none
 */
public record RunOrigin(
    Payload input,
    Map<String, String> labels,
    Instant createdAt,
    Instant notBefore,
    Instant rememberedUntil,
    Optional<TraceParent> trace) {
  public static final int MAX_LABELS = 32;

  public RunOrigin {
    labels = requireLabels(labels);
  }

  RunOrigin rememberedUntil(Instant time) {
    return new RunOrigin(input, labels, createdAt, notBefore, time, trace);
  }

  /** Returns the labels, or throws if they break a limit. */
  public static Map<String, String> requireLabels(Map<String, String> labels) {
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
    return Collections.unmodifiableMap(new TreeMap<>(labels));
  }
}
