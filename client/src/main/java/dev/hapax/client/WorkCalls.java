package dev.hapax.client;

import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.Payload;
import org.jspecify.annotations.Nullable;

/**
 * How one kind of work ends.
 *
 * @param <E> what Hapax answers when an end is recorded
 */
interface WorkCalls<E> {

  /** Records the result. */
  Ending<E> complete(Claim claim, @Nullable Payload result);

  /** Records a failure. */
  Ending<E> fail(Claim claim, Throwable thrown);

  /** Finds out whether a transaction was committed: after a rollback, this failure is recorded. */
  Ending<E> probe(Claim claim);

  /** Stands for a result that cannot be kept; null = no result. */
  @Nullable Payload unkept();

  /** The answer to the end of work. */
  sealed interface Ending<E> {

    /** It is recorded. */
    record Recorded<E>(E answer) implements Ending<E> {}

    /** Another holder had taken over, or the work has ended. */
    record Lost<E>(ClaimLost lost) implements Ending<E> {}
  }
}
