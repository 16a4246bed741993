package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Duration;
import dev.hapax.bootstrap.acceptance.History.Accepted;
import dev.hapax.bootstrap.acceptance.History.Granted;
import dev.hapax.bootstrap.acceptance.History.Replayed;
import dev.hapax.bootstrap.acceptance.History.Span;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.BeginOperationResponse.Acquired;
import dev.hapax.v1.CompleteOperationResponse.OutcomeCase;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import dev.hapax.v1.Replay;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Clients that go for the same keys and send every request again, as it is, until it is answered.
 * Some holders fail, die, or finish only when they have been replaced.
 */
final class Rivals {
  private static final Duration LEASE = Caller.millis(300);
  private static final int CALL_SECONDS = 2;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Say that it may or may not have happened, or that it has not: the same again is right. */
  private static final Set<Code> AGAIN =
      Set.of(Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED);

  private final List<Caller> callers;
  private final History history;
  private final Set<String> haveLateHolder = ConcurrentHashMap.newKeySet();

  /** {@code callers} are connections of one tenant; each request goes to the next at every try. */
  Rivals(List<Caller> callers, History history) {
    this.callers = callers;
    this.history = history;
  }

  /** Goes for all these keys at once; returns when all have been completed. */
  void compete(List<String> keys, int perKey) {
    join(start(keys, perKey));
  }

  /**
   * Goes for new keys, wave after wave, until this returns true.
   *
   * @param waves as many at least
   */
  void compete(int waves, int keysAtOnce, int perKey, BooleanSupplier isOver) {
    for (var wave = 0; wave < waves || !isOver.getAsBoolean(); wave++) {
      var prefix = "wave-" + wave + "-";
      compete(IntStream.range(0, keysAtOnce).mapToObj(i -> prefix + i).toList(), perKey);
    }
  }

  /** As {@link #compete(List, int)}, without waiting. */
  List<Thread> start(List<String> keys, int perKey) {
    var threads = new ArrayList<Thread>();
    for (var i = 0; i < perKey; i++) {
      for (var key : keys) {
        var rival = new Rival(key, new Random(31L * key.hashCode() + i));
        threads.add(Thread.ofVirtual().start(rival));
      }
    }
    return threads;
  }

  static void join(List<Thread> threads) {
    for (var thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
  }

  /** Whether this is an overload or a lost answer, so that the same request may be sent again. */
  static boolean mayBeSentAgain(Status status) {
    return AGAIN.contains(status.getCode())
        // what grpc-java itself makes of a connection that breaks while it sends
        || status.getCause() instanceof ClosedChannelException;
  }

  /** What a holder makes of its claim. */
  private enum Fate {
    COMPLETES,
    FAILS,
    DIES,
    IS_LATE
  }

  private final class Rival implements Runnable {
    private final String key;
    private final Random random;
    private final long deadline = System.nanoTime() + PATIENCE_NANOS;
    private int next;
    private boolean behaves;

    Rival(String key, Random random) {
      this.key = key;
      this.random = random;
      this.next = random.nextInt(callers.size());
    }

    @Override
    public void run() {
      try {
        while (!attempt()) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      } catch (StatusRuntimeException e) {
        history.odd(key + ": " + e);
      }
    }

    /** One logical attempt; whether the key has been completed. */
    private boolean attempt() {
      var begin = callers.getFirst().begin(key).setLease(LEASE).build();
      while (true) {
        var sent = System.nanoTime();
        var answer = untilAnswered(stub -> stub.beginOperation(begin));
        switch (answer.getOutcomeCase()) {
          case ACQUIRED -> {
            var grant = answer.getAcquired();
            var span = new Span(sent, System.nanoTime());
            var fence = grant.getClaim().getFence();
            history.granted(
                key, new Granted(fence, begin.getAttemptId(), grant.getReclaimed(), span));
            return hold(grant);
          }
          case REPLAY -> {
            replayed(answer.getReplay());
            return true;
          }
          case IN_PROGRESS -> LockSupport.parkNanos(PAUSE_NANOS);
          default -> {
            history.odd(key + ": " + BeginOperationResponse.class.getSimpleName() + answer);
            return true;
          }
        }
      }
    }

    private boolean hold(Acquired grant) {
      return switch (fate()) {
        case COMPLETES -> complete(grant);
        case FAILS -> {
          var failure =
              callers
                  .getFirst()
                  .failure(
                      grant.getClaim(),
                      FailureKind.FAILURE_KIND_RETRYABLE,
                      Caller.failure("AGAIN"));
          untilAnswered(stub -> stub.failOperation(failure));
          yield false;
        }
        case DIES -> false;
        case IS_LATE -> {
          var fence = grant.getClaim().getFence();
          Condition.await(key + " is taken over", () -> history.isReplaced(key, fence));
          yield complete(grant);
        }
      };
    }

    /** Each misbehaves once, or the test would not end. */
    private Fate fate() {
      var drawn = random.nextInt(10);
      if (behaves || drawn > 2) {
        return Fate.COMPLETES;
      }
      behaves = true;
      return switch (drawn) {
        case 0 -> Fate.FAILS;
        case 1 -> Fate.DIES;
        default -> haveLateHolder.add(key) ? Fate.IS_LATE : Fate.COMPLETES;
      };
    }

    private boolean complete(Acquired grant) {
      var fence = grant.getClaim().getFence();
      var result =
          String.format(
              Locale.ROOT, "\"%s of %d by %s\"", key, fence, Integer.toHexString(hashCode()));
      var request = callers.getFirst().completion(grant.getClaim(), Caller.json(result));
      var sent = System.nanoTime();
      var answer = untilAnswered(stub -> stub.completeOperation(request));
      if (answer.getOutcomeCase() == OutcomeCase.COMPLETED) {
        history.accepted(key, new Accepted(fence, result, new Span(sent, System.nanoTime())));
        // and now as a duplicate
        return attempt();
      }
      history.refused(key, fence);
      if (answer.getClaimLost().hasReplay()) {
        replayed(answer.getClaimLost().getReplay());
      }
      return false;
    }

    private void replayed(Replay replay) {
      history.replayed(key, new Replayed(replay.getResult().getJson(), replay.getCompletedAt()));
    }

    private <R> R untilAnswered(Function<OperationServiceBlockingStub, R> call) {
      while (true) {
        try {
          var channel = callers.get(next++ % callers.size()).channel();
          return call.apply(
              OperationServiceGrpc.newBlockingStub(channel)
                  .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS));
        } catch (StatusRuntimeException e) {
          if (!mayBeSentAgain(e.getStatus()) || System.nanoTime() > deadline) {
            throw e;
          }
          history.unavailable();
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
  }
}
