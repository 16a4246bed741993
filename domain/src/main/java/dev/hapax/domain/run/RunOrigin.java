package dev.hapax.domain.run;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run was started with.
 *
 * @param notBefore when it may begin
 * @param rememberedUntil how long its idempotency key leads to it, at least
 */
public record RunOrigin(
    Payload input,
    Map<String, String> labels,
    Instant createdAt,
    Instant notBefore,
    Instant rememberedUntil) {
  public static final int MAX_LABELS = 32;

  public RunOrigin {
    labels = requireLabels(labels);
  }

  RunOrigin rememberedUntil(Instant time) {
    return new RunOrigin(input, labels, createdAt, notBefore, time);
  }

  /** The labels, or a violation. */
  public static Map<String, String> requireLabels(Map<String, String> labels) {
    if (labels.size() > MAX_LABELS) {
      throw new InvalidValueException(
          "has %d labels; at most %d are allowed".formatted(labels.size(), MAX_LABELS));
    }
    labels.forEach(
        (name, value) -> {
          Text.requiredName(name);
          Text.name(value);
        });
    return Collections.unmodifiableMap(new TreeMap<>(labels));
  }
}
