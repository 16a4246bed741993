package dev.hapax.domain.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Instant;
import java.util.Optional;

/** The recorded result that duplicates get. */
public sealed interface Replay {
  /** When the operation ended. */
  Instant at();

  /** The operation completed; an empty result is void. */
  record Result(Optional<Payload> result, Instant at) implements Replay {}

  /** The operation failed for good. */
  record Failed(Failure failure, Instant at) implements Replay {}
}
