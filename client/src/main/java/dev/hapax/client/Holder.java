package dev.hapax.client;

import dev.hapax.client.WorkCalls.Ending;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Payload;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does work under a claim, which is renewed until the end of the work is recorded.
 *
 * @param <T> the result of the work
 * @param <E> what Hapax answers when the end is recorded
 */
final class Holder<T extends @Nullable Object, E> {

  private static final Logger log = LoggerFactory.getLogger(Holder.class);

  private final Connection connection;
  private final Claim claim;
  private final Codec<T> codec;
  private final WorkCalls<E> calls;

  Holder(Connection connection, Claim claim, Codec<T> codec, WorkCalls<E> calls) {
    this.connection = connection;
    this.claim = claim;
    this.codec = codec;
    this.calls = calls;
  }

  /** Does the work. Throws what the work threw, unless something else decides the outcome. */
  <X extends Exception> Held<T, E> run(Renewals.Renewal renewal, Work<? extends T, X> work)
      throws X {
    connection.renewals().hold(claim, renewal);
    try {
      T value;
      try {
        value = work.run(claim);
      } catch (Throwable thrown) {
        claim.lease().workEnded();
        Optional<Held<T, E>> instead = failed(thrown);
        if (instead.isPresent()) {
          return instead.get();
        }
        throw thrown;
      }
      claim.lease().workEnded();
      if (claim.isCommitted()) {
        return new Held.Done<>(value, null);
      }
      return claim.completed() == null ? succeeded(value) : confirmed(value);
    } finally {
      connection.renewals().release(claim);
      claim.lease().ended();
    }
  }

  private Held<T, E> succeeded(T value) {
    try {
      Ending<E> ending = complete(value);
      return ending instanceof Ending.Recorded<E> recorded
          ? new Held.Done<>(value, recorded.answer())
          : lost(ending, null);
    } catch (HapaxException unanswered) {
      return unrecorded(value, unanswered);
    }
  }

  private Ending<E> complete(T value) {
    try {
      return calls.complete(claim, kept(value));
    } catch (HapaxException.Refused refused) {
      // the effect has happened, so the key must not be free again
      log.error("Hapax refused the result of claim {}, which is not kept", claim.id(), refused);
      return calls.complete(claim, calls.unkept());
    }
  }

  private @Nullable Payload kept(T value) {
    Payload result;
    try {
      result = connection.write(codec, value);
    } catch (RuntimeException thrown) {
      log.error(
          "the codec cannot write the result of claim {}, which is not kept", claim.id(), thrown);
      return calls.unkept();
    }
    int bytes = Payloads.bytes(result);
    if (bytes > Payloads.MAX_BYTES) {
      log.warn(
          "the result of claim {} has {} bytes and may have {}; it is not kept",
          claim.id(),
          bytes,
          Payloads.MAX_BYTES);
      return calls.unkept();
    }
    return result;
  }

  /** A completion would hide that the transaction was rolled back; only a failure finds it out. */
  private Held<T, E> confirmed(T value) {
    try {
      Ending<E> ending = calls.probe(claim);
      if (ending instanceof Ending.Recorded<E> recorded) {
        return new Held.NotCommitted<>(recorded.answer());
      }
      return isCommitted(ending) ? new Held.Done<>(value, null) : lost(ending, null);
    } catch (HapaxException unanswered) {
      return unrecorded(value, unanswered);
    }
  }

  /** Empty if the failure is recorded, or left to the lease. */
  private Optional<Held<T, E>> failed(Throwable thrown) {
    if (claim.isCommitted()) {
      return Optional.of(committed(thrown));
    }
    try {
      Ending<E> ending = calls.fail(claim, thrown);
      if (ending instanceof Ending.Recorded<E>) {
        return Optional.empty();
      }
      return Optional.of(isCommitted(ending) ? committed(thrown) : lost(ending, thrown));
    } catch (HapaxException unanswered) {
      if (claim.completed() != null) {
        return Optional.of(unrecorded(completedValue(), unanswered));
      }
      log.warn(
          "the failure of claim {} is not recorded, and left to its lease", claim.id(), unanswered);
      return Optional.empty();
    }
  }

  private Held<T, E> committed(Throwable thrown) {
    log.warn(
        "the transaction that completed claim {} was committed, but its work threw",
        claim.id(),
        thrown);
    return new Held.Done<>(completedValue(), null);
  }

  private boolean isCommitted(Ending<E> ending) {
    return claim.completed() != null
        && ending instanceof Ending.Lost<E> over
        && over.lost().getReason() == ClaimLostReason.CLAIM_LOST_REASON_ENDED;
  }

  @SuppressWarnings({
    "unchecked",
    "NullAway"
  }) // completeIn() got the value that the work was to return
  private T completedValue() {
    Claim.Completed completed = claim.completed();
    return (T) (completed == null ? null : completed.value());
  }

  private Held<T, E> lost(Ending<E> ending, @Nullable Throwable failure) {
    ClaimLost lost = ((Ending.Lost<E>) ending).lost();
    claim.lease().revoke(lost.getReason());
    return new Held.Lost<>(lost, failure);
  }

  private Held<T, E> unrecorded(T value, HapaxException unanswered) {
    log.error("the end of claim {} may not be recorded: no answer", claim.id(), unanswered);
    return new Held.Unrecorded<>(value, unanswered);
  }
}
