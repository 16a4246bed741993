package dev.hapax.application.janitor;

import dev.hapax.application.waiting.Awaited;
import dev.hapax.application.waiting.Awaited.Next;
import dev.hapax.application.waiting.Chain;
import dev.hapax.application.waiting.ForeignPolls;
import dev.hapax.application.waiting.RecentPolls;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.entity.ClaimRecovery;
import dev.hapax.domain.entity.ClaimRecoveryOutcome;
import dev.hapax.domain.entity.ClaimRecoveryOutcome.Claimed;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.Ledger;
import java.time.Duration;
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
  private final Ledger ledger;
  private final EntityReads reads;
  private final Waiters<JanitorId> waiters;
  private final StuckEntities stuck;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final ForeignPolls foreign = new ForeignPolls();
  private final RecentPolls<Sent, EntityId> recent = new RecentPolls<>();
  private final ConcurrentMap<Sent, CompletableFuture<List<Claimed>>> underWay =
      new ConcurrentHashMap<>();

  /** Which poll it is; the same attempt of another module is another one. */
  private record Sent(JanitorId janitor, UUID attempt) {
    static Optional<Sent> of(PollRecoveries request) {
      return request.attempt().map(attempt -> new Sent(request.janitor(), attempt));
    }
  }

  RecoveryPolls(
      Ledger ledger,
      EntityReads reads,
      Waiters<JanitorId> waiters,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.waiters = waiters;
    this.stuck = new StuckEntities(ledger, reads, waiters, timer);
    this.random = random;
    this.timer = timer;
    ledger.onForeignCommit(foreign::seen);
  }

  /** What is stuck, as soon as something is; nothing when the wait ends. */
  CompletableFuture<List<Claimed>> poll(PollRecoveries request, Duration wait) {
    var sent = Sent.of(request);
    return Chain.then(
        sent.map(again -> again(request, again))
            .orElseGet(() -> CompletableFuture.completedFuture(List.of())),
        earlier ->
            earlier.isEmpty()
                ? start(request, sent, wait)
                : CompletableFuture.completedFuture(earlier));
  }

  /** What this poll was granted before and still holds. */
  private CompletableFuture<List<Claimed>> again(PollRecoveries request, Sent sent) {
    var earlier = recent.of(sent);
    var known =
        earlier.isEmpty() && foreign.mayHaveServed()
            ? reads.polled(sent.janitor(), sent.attempt())
            : CompletableFuture.completedFuture(earlier);
    return known.thenCompose(entities -> claim(request, entities));
  }

  private CompletableFuture<List<Claimed>> start(
      PollRecoveries request, Optional<Sent> sent, Duration wait) {
    var granted =
        wait.isZero() || waiters.isClosed()
            ? Chain.then(stuck.scan(request.janitor()), _ -> take(request, false))
            : new Awaited<>(
                    request.janitor(),
                    waiters,
                    timer,
                    _ -> take(request, true),
                    found -> Next.answerIf(!found.isEmpty()))
                .start(wait);
    sent.ifPresent(poll -> remember(poll, granted));
    return granted;
  }

  private void remember(Sent sent, CompletableFuture<List<Claimed>> granted) {
    var first = underWay.put(sent, granted);
    if (first != null) {
      // whoever sends a poll again has given up on the first
      first.complete(List.of());
    }
    var _ =
        granted.whenComplete(
            (claimed, _) -> {
              underWay.remove(sent, granted);
              if (claimed != null && !claimed.isEmpty()) {
                recent.keep(sent, claimed.stream().map(one -> one.entity().id()).toList());
              }
            });
  }

  private CompletableFuture<List<Claimed>> take(PollRecoveries request, boolean mayScan) {
    var candidates = stuck.take(request.janitor(), request.atMost());
    if (!candidates.isEmpty()) {
      return claim(request, candidates)
          .thenCompose(
              claimed ->
                  claimed.isEmpty()
                      ? take(request, mayScan)
                      : CompletableFuture.completedFuture(claimed));
    }
    if (mayScan && stuck.hasMore(request.janitor())) {
      return stuck.scan(request.janitor()).thenCompose(_ -> take(request, false));
    }
    stuck.await(request.janitor());
    return CompletableFuture.completedFuture(List.of());
  }

  private CompletableFuture<List<Claimed>> claim(PollRecoveries request, List<EntityId> entities) {
    var claims = entities.stream().map(entity -> claim(request, entity)).toList();
    return CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
        .thenApply(
            _ ->
                claims.stream()
                    .map(CompletableFuture::join)
                    .filter(Claimed.class::isInstance)
                    .map(Claimed.class::cast)
                    .toList());
  }

  /** Never fails: what could not be asked for is nobody's recovery yet. */
  private CompletableFuture<@Nullable ClaimRecoveryOutcome> claim(
      PollRecoveries request, EntityId entity) {
    return ledger
        .submit(
            new ClaimRecovery(
                entity,
                request.janitor(),
                request.worker(),
                request.attempt(),
                request.lease(),
                random.getAsLong()))
        .handle(
            (outcome, failure) -> {
              if (failure != null) {
                stuck.doubt();
              }
              return outcome;
            });
  }
}
