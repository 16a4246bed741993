package dev.hapax.client;

import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.OperationState;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client that does work under a claim, on the thread of the test and on a clock that stands
 * still: the work advances it. A pause of the client advances it, too.
 */
final class HolderScene implements AutoCloseable {

  static final Duration LEASE = Duration.ofSeconds(60);
  static final Duration THIRD = Duration.ofSeconds(20);

  /** What does the work. */
  enum Verb {
    OPERATION("begin", "renew", "complete", "fail"),
    ACTION("beginAction", "renewAction", "completeAction", "failAction");

    final String begin;
    final String renew;
    final String complete;
    final String fail;

    Verb(String begin, String renew, String complete, String fail) {
      this.begin = begin;
      this.renew = renew;
      this.complete = complete;
      this.fail = fail;
    }
  }

  final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  final List<String> lost = new ArrayList<>();
  final Hapax client =
      Hapax.builder()
          .channel(hapax.channel)
          .timing(new PausedTiming(hapax.timing))
          .observer(
              new Observer() {
                @Override
                public void lost(HolderKind kind) {
                  lost.add(kind.name());
                }
              })
          .connect();
  private final Verb verb;

  HolderScene(Verb verb) {
    this.verb = verb;
    hapax.entities.put("17", "approved");
  }

  static Action action() {
    return Action.of("billing", "17", "close", "admin").lease(LEASE);
  }

  /** Does the work, and returns its outcome. */
  <T extends @Nullable Object, X extends Exception> Object attempt(Codec<T> codec, Work<T, X> work)
      throws X {
    return attempt(codec, Duration.ofHours(1), work);
  }

  <T extends @Nullable Object, X extends Exception> Object attempt(
      Codec<T> codec, Duration holdAtMost, Work<T, X> work) throws X {
    return switch (verb) {
      case OPERATION ->
          client.tryOnce(
              Operation.of("charge", "key").lease(LEASE).holdAtMost(holdAtMost), codec, work);
      case ACTION -> client.entities().tryAct(action().holdAtMost(holdAtMost), codec, work);
    };
  }

  <X extends Exception> Object attempt(Work<String, X> work) throws X {
    return attempt(Codec.jsonText(), work);
  }

  static @Nullable Object orThrow(Object outcome) {
    return outcome instanceof OnceOutcome<?> once
        ? once.orThrow()
        : ((ActOutcome<?>) outcome).orThrow();
  }

  FakeDatabase database() {
    return new FakeDatabase(
        verb == Verb.OPERATION
            ? hapax.store::completeInTransaction
            : hapax.entities::completeInTransaction);
  }

  int renewals() {
    return hapax.faults.calls(verb.renew);
  }

  int completions() {
    return hapax.faults.calls(verb.complete);
  }

  int failures() {
    return hapax.faults.calls(verb.fail);
  }

  /** The next call of this name is refused. */
  void refuse(String rpc, Status status) {
    hapax.faults.before(
        rpc,
        () -> {
          throw status.asRuntimeException();
        });
  }

  /** Another process has the claim. */
  void takeOver() {
    switch (verb) {
      case OPERATION -> hapax.store.takeOver("key", null);
      case ACTION -> hapax.entities.takeBack("17", ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
  }

  boolean isCompleted() {
    return switch (verb) {
      case OPERATION -> hapax.store.state("key") == OperationState.OPERATION_STATE_COMPLETED;
      case ACTION -> hapax.entities.status("17").equals("closed");
    };
  }

  /** Whether the next call may do the work. */
  boolean isFree() {
    return switch (verb) {
      case OPERATION -> hapax.store.state("key") == OperationState.OPERATION_STATE_RELEASED;
      case ACTION -> hapax.entities.status("17").equals("approved");
    };
  }

  /** Whether the result is recorded as one that could not be kept. */
  boolean isUnkept() {
    return switch (verb) {
      case OPERATION -> Payloads.NOT_RETAINED.equals(hapax.store.result("key"));
      case ACTION -> !lastCompletion().hasOutput();
    };
  }

  private CompleteActionRequest lastCompletion() {
    var all = hapax.entities.requests(CompleteActionRequest.class);
    return all.get(all.size() - 1);
  }

  @Override
  public void close() {
    client.close();
    hapax.close();
  }
}
