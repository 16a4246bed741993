package dev.hapax.application.janitor;

import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.LongPoll;
import dev.hapax.application.waiting.LongPoll.Next;
import dev.hapax.application.waiting.PollPace;
import dev.hapax.application.waiting.RecentPolls;
import dev.hapax.application.waiting.RecentRemoteActivity;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.entity.ClaimRecovery;
import dev.hapax.domain.entity.ClaimRecoveryOutcome;
import dev.hapax.domain.entity.ClaimRecoveryOutcome.Claimed;
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

/** What modules ask for that look by themselves what became of an action. */
final class RecoveryPolls {
  private static final FailureLog CLAIMS =
      new FailureLog(RecoveryPolls.class, "claim of a stuck entity");

  private final Ledger ledger;
  private final EntityReads reads;
  private final Waiters<JanitorId> waiters;
  private final StuckEntitySearch stuck;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final RecentRemoteActivity foreign = new RecentRemoteActivity();
  private final PollPace<Poller> pace = new PollPace<>();

  /** What was granted to them, or may have been. */
  private final RecentPolls<Sent, EntityId> recent;

  private final ConcurrentMap<Sent, CompletableFuture<List<Claimed>>> underWay =
      new ConcurrentHashMap<>();
  private final ConcurrentMap<Sent, CompletableFuture<List<Claimed>>> claiming =
      new ConcurrentHashMap<>();

  /** A module's worker, by the name it polls with. */
  private record Poller(JanitorId janitor, String worker) {}

  /** Which poll it is; the same attempt of another module is another one. */
  private record Sent(JanitorId janitor, UUID attempt) {}

  /** One call. */
  private record Asked(PollRecoveries request, Optional<Sent> sent, long startNanos) {
    static Asked now(PollRecoveries request) {
      return new Asked(
          request,
          request.attempt().map(attempt -> new Sent(request.janitor(), attempt)),
          System.nanoTime());
    }

    JanitorId janitor() {
      return request.janitor();
    }

    Duration waited() {
      return Duration.ofNanos(System.nanoTime() - startNanos);
    }
  }

  /** One of the entities that were found; no outcome = nobody knows. */
  private record Claim(EntityId entity, @Nullable ClaimRecoveryOutcome outcome) {
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
    this.recent = new RecentPolls<>();
    ledger.onForeignCommit(foreign::seen);
  }

  /** What is stuck, as soon as something is; nothing when the wait ends. */
  CompletableFuture<List<Claimed>> poll(PollRecoveries request, PollPace.Wait wait) {
    return pace.poll(
        new Poller(request.janitor(), request.worker()),
        wait,
        paced -> poll(Asked.now(request), paced),
        List::isEmpty);
  }

  private CompletableFuture<List<Claimed>> poll(Asked asked, Duration wait) {
    return CancellableFutures.then(
        elsewhere(asked),
        earlier ->
            earlier.isEmpty() ? start(asked, wait) : CompletableFuture.completedFuture(earlier));
  }

  /** What this poll was granted before by another node, or before this one was started. */
  private CompletableFuture<List<Claimed>> elsewhere(Asked asked) {
    var sent = asked.sent();
    if (sent.isEmpty() || !recent.of(sent.get()).isEmpty() || !foreign.mayHaveServed()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return reads
        .polled(sent.get().janitor(), sent.get().attempt())
        .thenCompose(entities -> claim(asked, entities));
  }

  private CompletableFuture<List<Claimed>> start(Asked asked, Duration wait) {
    asked.sent().ifPresent(this::giveUpFirst);
    var granted =
        wait.isZero() || waiters.isClosed()
            ? CancellableFutures.then(stuck.scan(asked.janitor()).copy(), _ -> take(asked, false))
            : new LongPoll<>(
                    asked.janitor(),
                    waiters,
                    timer,
                    _ -> take(asked, true),
                    found -> Next.answerIf(!found.isEmpty()))
                .start(wait);
    asked.sent().ifPresent(sent -> begun(sent, granted));
    return granted;
  }

  /** Whoever sends a poll again has given up on the first. */
  private void giveUpFirst(Sent sent) {
    var first = underWay.remove(sent);
    if (first != null) {
      first.complete(List.of());
    }
  }

  private void begun(Sent sent, CompletableFuture<List<Claimed>> granted) {
    underWay.put(sent, granted);
    var _ = granted.whenComplete((_, _) -> underWay.remove(sent, granted));
  }

  /** What this poll was granted before and still holds, or else something new. */
  private CompletableFuture<List<Claimed>> take(Asked asked, boolean mayScan) {
    return before(asked)
        .thenCompose(
            held ->
                held.isEmpty() ? takeNew(asked, mayScan) : CompletableFuture.completedFuture(held));
  }

  /** Also what was granted to a call of it that had gone by then. */
  private CompletableFuture<List<Claimed>> before(Asked asked) {
    return asked
        .sent()
        .map(
            sent ->
                claiming
                    .getOrDefault(sent, CompletableFuture.completedFuture(List.of()))
                    .thenCompose(_ -> claim(asked, recent.of(sent))))
        .orElseGet(() -> CompletableFuture.completedFuture(List.of()));
  }

  private CompletableFuture<List<Claimed>> takeNew(Asked asked, boolean mayScan) {
    var candidates = stuck.take(asked.janitor(), asked.request().atMost());
    if (!candidates.isEmpty()) {
      return claim(asked, candidates)
          .thenCompose(
              claimed ->
                  claimed.isEmpty()
                      ? takeNew(asked, mayScan)
                      : CompletableFuture.completedFuture(claimed));
    }
    if (mayScan && stuck.hasMore(asked.janitor())) {
      return stuck.scan(asked.janitor()).thenCompose(_ -> takeNew(asked, false));
    }
    stuck.await(asked.janitor());
    return CompletableFuture.completedFuture(List.of());
  }

  private CompletableFuture<List<Claimed>> claim(Asked asked, List<EntityId> entities) {
    if (entities.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    var waited = asked.waited();
    var claims = entities.stream().map(entity -> claim(asked.request(), entity)).toList();
    var granted =
        CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
            .thenApply(
                _ -> claimed(asked, waited, claims.stream().map(CompletableFuture::join).toList()));
    asked.sent().ifPresent(sent -> claiming(sent, granted));
    // whoever cancels it does not cancel what has to be kept
    return granted.copy();
  }

  private void claiming(Sent sent, CompletableFuture<List<Claimed>> granted) {
    claiming.put(sent, granted);
    var _ = granted.whenComplete((_, _) -> claiming.remove(sent, granted));
  }

  /** Callers count a lease from when they sent, so what they waited before it began is added. */
  private List<Claimed> claimed(Asked asked, Duration waited, List<Claim> claims) {
    asked.sent().ifPresent(sent -> remember(sent, claims));
    var granted = new ArrayList<Claimed>();
    for (var claim : claims) {
      switch (claim.outcome()) {
        case null -> stuck.lost(asked.janitor());
        case Claimed claimed -> granted.add(claimed.afterWaiting(waited));
        case ClaimRecoveryOutcome.Left _ -> {}
      }
    }
    return granted;
  }

  private void remember(Sent sent, List<Claim> claims) {
    var held = new LinkedHashSet<>(recent.of(sent));
    for (var claim : claims) {
      var _ = claim.mayBeHeld() ? held.add(claim.entity()) : held.remove(claim.entity());
    }
    recent.keep(sent, List.copyOf(held));
  }

  /** Never fails. */
  private CompletableFuture<Claim> claim(PollRecoveries request, EntityId entity) {
    return ledger
        .submit(
            new ClaimRecovery(
                entity,
                request.janitor(),
                request.worker(),
                request.attempt(),
                request.lease(),
                random.getAsLong()))
        .whenComplete(CLAIMS::ended)
        .handle((outcome, _) -> new Claim(entity, outcome));
  }
}
