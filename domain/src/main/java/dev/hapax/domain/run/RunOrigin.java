package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import java.time.Instant;
import java.util.Map;

/**
 * How a run was started.
 *
 * @param notBefore the earliest time to begin
 * @param rememberedUntil the earliest time at which its idempotency key expires
 */
public record RunOrigin(
    RunParameters parameters, Instant createdAt, Instant notBefore, Instant rememberedUntil) {
  public Payload input() {
    return parameters.input();
  }

  public Map<String, String> labels() {
    return parameters.labels();
  }

  RunOrigin rememberedUntil(Instant time) {
    return new RunOrigin(parameters, createdAt, notBefore, time);
  }
}
