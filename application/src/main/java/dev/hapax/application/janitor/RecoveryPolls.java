package dev.hapax.application.janitor;

import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.PollPace;
import dev.hapax.application.waiting.RecentPolls;
import dev.hapax.application.waiting.RecentRemoteActivity;
import dev.hapax.application.waiting.RecordPoll;
import dev.hapax.application.waiting.RecordPoll.Next;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.entity.BeginRecovery;
import dev.hapax.domain.entity.BeginRecoveryOutcome;
import dev.hapax.domain.entity.BeginRecoveryOutcome.Claimed;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.Ledger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The polls of modules for recoveries on this node. */
final class RecoveryPolls {
  private static final FailureLog CLAIMS =
      new FailureLog(RecoveryPolls.class, "claim of a stuck entity");

  private final Ledger ledger;
  private final EntityReads reads;
  private final Waiters<JanitorId> waiters;
  private final StuckEntitySearch stuck;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final PollPace<Poller> pace = new PollPace<>();

  /** The recoveries that were granted to recent polls, or may have been. */
  private final RecentPolls<PollId, EntityId> recent;

  /** The waiting call of each poll, which a retry of the poll ends. */
  private final ConcurrentMap<PollId, CompletableFuture<List<Claimed>>> inProgress =
      new ConcurrentHashMap<>();

  /** The commands of each poll that have no outcome yet; a retry awaits them. */
  private final ConcurrentMap<PollId, CompletableFuture<List<Claimed>>> claiming =
      new ConcurrentHashMap<>();

  /** A module's worker, identified by the name with which it polls. */
  private record Poller(JanitorId janitor, String worker) {}

  /** The id of a poll: its module and attempt. */
  private record PollId(JanitorId janitor, UUID attempt) {}

  /** One call of a poll. */
  private record PollCall(PollRecoveries request, Optional<PollId> id, long startNanos) {
    static PollCall now(PollRecoveries request) {
      return new PollCall(
          request,
          request.attempt().map(attempt -> new PollId(request.janitor(), attempt)),
          System.nanoTime());
    }

    JanitorId janitor() {
      return request.janitor();
    }

    Duration waited() {
      return Duration.ofNanos(System.nanoTime() - startNanos);
    }
  }

  /** The claim of one stuck entity; null = its outcome is unknown. */
  private record Claim(EntityId entity, @Nullable BeginRecoveryOutcome outcome) {
    boolean mayBeHeld() {
      return outcome == null || outcome instanceof Claimed;
    }
  }

  RecoveryPolls(
      Ledger ledger,
      EntityReads reads,
      Waiters<JanitorId> waiters,
      InstantSource clock,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.waiters = waiters;
    this.stuck = new StuckEntitySearch(ledger, reads, waiters, clock, timer);
    this.random = random;
    this.timer = timer;
    var remoteActivity = new RecentRemoteActivity();
    this.recent = new RecentPolls<>(remoteActivity);
    ledger.onRemoteCommit(remoteActivity::recorded);
  }

  /** Returns recoveries as soon as an entity is stuck; none when the wait ends. */
  CompletableFuture<List<Claimed>> poll(PollRecoveries request, PollPace.Wait wait) {
    return pace.poll(
        new Poller(request.janitor(), request.worker()),
        wait,
        paced -> poll(PollCall.now(request), paced),
        List::isEmpty);
  }

  private CompletableFuture<List<Claimed>> poll(PollCall call, Duration wait) {
    return CancellableFutures.then(
        grantedElsewhere(call),
        earlier ->
            earlier.isEmpty() ? start(call, wait) : CompletableFuture.completedFuture(earlier));
  }

  /** Grants again what another node, or this one a while ago, granted to this poll. */
  private CompletableFuture<List<Claimed>> grantedElsewhere(PollCall call) {
    return call.id()
        .filter(id -> recent.known(id).isEmpty())
        .map(id -> reads.polled(id.janitor(), id.attempt()))
        .orElseGet(() -> CompletableFuture.completedFuture(List.of()))
        .thenCompose(entities -> claim(call, entities));
  }

  private CompletableFuture<List<Claimed>> start(PollCall call, Duration wait) {
    call.id().ifPresent(this::endFirst);
    var granted =
        wait.isZero() || waiters.isClosed()
            ? CancellableFutures.then(stuck.scan(call.janitor()).copy(), _ -> take(call, false))
            : new RecordPoll<>(
                    call.janitor(),
                    waiters,
                    timer,
                    _ -> take(call, true),
                    found -> Next.answerIf(!found.isEmpty()))
                .start(wait);
    call.id().ifPresent(id -> begun(id, granted));
    return granted;
  }

  /** Ends the first call of a poll that the caller has retried. */
  private void endFirst(PollId id) {
    var first = inProgress.remove(id);
    if (first != null) {
      first.complete(List.of());
    }
  }

  private void begun(PollId id, CompletableFuture<List<Claimed>> granted) {
    inProgress.put(id, granted);
    var _ = granted.whenComplete((_, _) -> inProgress.remove(id, granted));
  }

  /** Returns what this poll was granted before and still holds, or else new recoveries. */
  private CompletableFuture<List<Claimed>> take(PollCall call, boolean mayScan) {
    return grantedBefore(call)
        .thenCompose(
            held ->
                held.isEmpty() ? takeNew(call, mayScan) : CompletableFuture.completedFuture(held));
  }

  /** Grants again what earlier calls of this poll were granted, including cancelled ones. */
  private CompletableFuture<List<Claimed>> grantedBefore(PollCall call) {
    return call.id()
        .map(
            id ->
                claiming
                    .getOrDefault(id, CompletableFuture.completedFuture(List.of()))
                    .thenCompose(_ -> claim(call, recent.of(id))))
        .orElseGet(() -> CompletableFuture.completedFuture(List.of()));
  }

  private CompletableFuture<List<Claimed>> takeNew(PollCall call, boolean mayScan) {
    var candidates = stuck.take(call.janitor(), call.request().atMost());
    if (!candidates.isEmpty()) {
      return claim(call, candidates)
          .thenCompose(
              claimed ->
                  claimed.isEmpty()
                      ? takeNew(call, mayScan)
                      : CompletableFuture.completedFuture(claimed));
    }
    if (mayScan && stuck.hasMore(call.janitor())) {
      return stuck.scan(call.janitor()).thenCompose(_ -> takeNew(call, false));
    }
    stuck.await(call.janitor());
    return CompletableFuture.completedFuture(List.of());
  }

  private CompletableFuture<List<Claimed>> claim(PollCall call, List<EntityId> entities) {
    if (entities.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    var waited = call.waited();
    var claims = entities.stream().map(entity -> claim(call.request(), entity)).toList();
    var granted =
        CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
            .thenApply(
                _ -> claimed(call, waited, claims.stream().map(CompletableFuture::join).toList()));
    call.id().ifPresent(id -> claiming(id, granted));
    // cancelling the copy must not prevent the grants from being stored for retries
    return granted.copy();
  }

  private void claiming(PollId id, CompletableFuture<List<Claimed>> granted) {
    claiming.put(id, granted);
    var _ = granted.whenComplete((_, _) -> claiming.remove(id, granted));
  }

  /**
   * Adds the time that the call waited: callers count the lease from when they sent the request.
   */
  private List<Claimed> claimed(PollCall call, Duration waited, List<Claim> claims) {
    call.id().ifPresent(id -> remember(id, claims));
    var granted = new ArrayList<Claimed>();
    for (var claim : claims) {
      switch (claim.outcome()) {
        case null -> stuck.rescanAll(call.janitor());
        case Claimed claimed -> granted.add(claimed.afterWaiting(waited));
        case BeginRecoveryOutcome.Left _ -> {}
      }
    }
    return granted;
  }

  private void remember(PollId id, List<Claim> claims) {
    var held = new LinkedHashSet<>(recent.of(id));
    for (var claim : claims) {
      var _ = claim.mayBeHeld() ? held.add(claim.entity()) : held.remove(claim.entity());
    }
    recent.keep(id, List.copyOf(held));
  }

  /** Claims an entity; the future never fails. */
  private CompletableFuture<Claim> claim(PollRecoveries request, EntityId entity) {
    return ledger
        .submit(
            new BeginRecovery(
                entity,
                request.janitor(),
                request.worker(),
                request.attempt(),
                request.lease(),
                random.getAsLong(),
                request.principal()))
        .whenComplete(CLAIMS::ended)
        .handle((outcome, _) -> new Claim(entity, outcome));
  }
}
