package dev.hapax.bench;

import com.google.protobuf.Duration;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.LifecycleServiceGrpc;
import io.grpc.Channel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Clients that act on entities; each action ends in the status in which it began. */
public final class ClaimLoad {
  static final java.time.Duration EVERY = java.time.Duration.ofSeconds(5);
  private static final String LIFECYCLE = "bench";
  private static final String OPEN = "open";
  private static final Duration LEASE = duration(java.time.Duration.ofMinutes(5));
  private static final int IN_FLIGHT = 512;

  private final BenchCalls calls;
  private final String prefix = OperationLoad.newKey();
  private final AtomicLong number = new AtomicLong();

  public ClaimLoad(Channel channel) {
    this.calls = new BenchCalls(channel);
    var _ =
        LifecycleServiceGrpc.newBlockingStub(channel)
            .applyLifecycles(
                ApplyLifecyclesRequest.newBuilder()
                    .addJanitors(
                        JanitorContract.newBuilder()
                            .setModule(LIFECYCLE)
                            .addClaimStates("touched")
                            .setEvery(duration(EVERY)))
                    .addLifecycles(
                        """
                        { "lifecycle": "bench", "module": "bench", "entity": "things",
                          "status_types": ["open", "touched"],
                          "steps": [ { "step_key": "touch", "status": "open", "action": "Touch",
                              "claim_state": ["touched", "open"], "successful_state": "open" } ] }
                        """)
                    .build());
  }

  /** Creates this many free entities. */
  public Entities create(int count) throws InterruptedException {
    var entities = new Entities(prefix + number.getAndIncrement() + "-", count);
    repeat(
        count,
        (i, next) ->
            calls.send(
                EntityServiceGrpc.getCreateEntityMethod(),
                CreateEntityRequest.newBuilder()
                    .setLifecycle(LIFECYCLE)
                    .setEntityId(entities.name(i))
                    .setStatus(OPEN)
                    .build(),
                next,
                _ -> next.done()));
    return entities;
  }

  /** Entities with a common prefix, numbered from 0. */
  public record Entities(String prefix, int count) {
    String name(long number) {
      return prefix + number % count;
    }
  }

  /** Acts on one entity after the other; a turn also ends when the entity is held already. */
  public ClosedLoopLoad.Turn actOn(Entities entities) {
    var turn = new AtomicLong();
    return (_, next) -> {
      var entity = entities.name(turn.getAndIncrement());
      calls.send(
          EntityServiceGrpc.getBeginActionMethod(),
          begin(entity, LEASE),
          next,
          begun -> act(begun, next));
    };
  }

  private void act(BeginActionResponse begun, ClosedLoopLoad.Next next) {
    switch (begun.getOutcomeCase()) {
      case GRANTED -> complete(begun.getGranted().getClaim(), next);
      case CLAIM_FAILED -> next.done();
      case WRONG_STATUS, NOT_ALLOWED, NEEDS_RECOVERY, OUTCOME_NOT_SET ->
          next.failed(new IllegalStateException("action not granted: " + begun));
    }
  }

  private void complete(Claim claim, ClosedLoopLoad.Next next) {
    calls.send(
        EntityServiceGrpc.getCompleteActionMethod(),
        CompleteActionRequest.newBuilder().setClaim(claim).build(),
        next,
        (CompleteActionResponse completed) -> {
          if (completed.hasCompleted()) {
            next.done();
          } else {
            next.failed(new IllegalStateException("action not completed: " + completed));
          }
        });
  }

  /** Claims each entity once, with leases that all expire at the same time. */
  void abandon(Entities entities, long endNanos) throws InterruptedException {
    repeat(
        entities.count(),
        (i, next) ->
            calls.send(
                EntityServiceGrpc.getBeginActionMethod(),
                begin(
                    entities.name(i),
                    duration(java.time.Duration.ofNanos(endNanos - System.nanoTime()))),
                next,
                _ -> next.done()));
  }

  /** A request for the action on this entity. */
  static BeginActionRequest begin(String entity) {
    return begin(entity, LEASE);
  }

  private static BeginActionRequest begin(String entity, Duration lease) {
    return BeginActionRequest.newBuilder()
        .setLifecycle(LIFECYCLE)
        .setEntityId(entity)
        .setStepKey("touch")
        .setRequester("bench")
        .setAttemptId(OperationLoad.newKey())
        .setLease(lease)
        .build();
  }

  private static Duration duration(java.time.Duration time) {
    return Duration.newBuilder().setSeconds(time.getSeconds()).setNanos(time.getNano()).build();
  }

  /** Repeats a turn, with a limited number of turns in flight. */
  private static void repeat(int count, ClosedLoopLoad.Turn turn) throws InterruptedException {
    var permits = new Semaphore(IN_FLIGHT);
    var failure = new AtomicReference<@Nullable Throwable>();
    var next =
        new ClosedLoopLoad.Next() {
          @Override
          public void done() {
            permits.release();
          }

          @Override
          public void failed(Throwable cause) {
            failure.compareAndSet(null, cause);
            permits.release();
          }
        };
    for (var i = 0; i < count && failure.get() == null; i++) {
      permits.acquire();
      turn.take(i, next);
    }
    permits.acquire(IN_FLIGHT);
    if (failure.get() != null) {
      throw new IllegalStateException("a call of the bench failed", failure.get());
    }
  }
}
