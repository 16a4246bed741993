package dev.hapax.domain.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Instant;
import java.util.Optional;

/** The answer that duplicates get. */
public sealed interface Replay {
  /** When the operation ended. */
  Instant at();

  /** It was done; an empty result is void. */
  record Result(Optional<Payload> result, Instant at) implements Replay {}

  /** It failed for good. */
  record Failed(Failure failure, Instant at) implements Replay {}
}
