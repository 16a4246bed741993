package dev.hapax.testkit.operation;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads operations from the records of an in-memory ledger. */
public final class InMemoryOperationReads implements OperationReads {
  /** Hashes as text sort as their bytes do, which is how the database sorts them. */
  private static final Comparator<Position> NEWEST_FIRST =
      Comparator.comparing(Position::startedAt)
          .reversed()
          .thenComparing(position -> position.hash().toString());

  private final InMemoryLedger ledger;
  private final InstantSource clock;

  public InMemoryOperationReads(InMemoryLedger ledger, InstantSource clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  private Stream<Map.Entry<OperationId, Operation>> all() {
    return ledger.records().entrySet().stream()
        .filter(record -> record.getValue() instanceof Operation)
        .map(record -> Map.entry((OperationId) record.getKey(), (Operation) record.getValue()));
  }

  private Optional<Operation> record(OperationId id) {
    return Optional.ofNullable((Operation) ledger.records().get(id));
  }

  @Override
  public CompletableFuture<Optional<Operation>> find(OperationId id) {
    var now = clock.instant();
    return completedFuture(record(id).filter(operation -> !operation.isForgotten(now)));
  }

  @Override
  public CompletableFuture<Page<Listed, Position>> list(Query query) {
    var now = clock.instant();
    var behind =
        all()
            .filter(entry -> entry.getKey().workspace().equals(query.workspace()))
            .filter(entry -> !entry.getValue().isForgotten(now))
            .filter(entry -> query.filter().matches(entry.getValue(), now))
            .map(entry -> new Listed(position(entry), entry.getValue()))
            .filter(listed -> query.after().isEmpty() || isBehind(query.after().get(), listed))
            .sorted(Comparator.comparing(Listed::position, NEWEST_FIRST))
            .toList();
    var items = behind.stream().limit(query.size()).toList();
    return completedFuture(
        new Page<>(
            items,
            items.size() < behind.size()
                ? Optional.of(items.getLast().position())
                : Optional.empty()));
  }

  private static Position position(Map.Entry<OperationId, Operation> entry) {
    return new Position(entry.getValue().grant().at(), entry.getKey().hash());
  }

  private static boolean isBehind(Position last, Listed listed) {
    return NEWEST_FIRST.compare(listed.position(), last) > 0;
  }

  @Override
  public CompletableFuture<Set<OperationId>> ended(Set<OperationId> held) {
    return completedFuture(
        held.stream().filter(id -> !isHeld(id)).collect(Collectors.toUnmodifiableSet()));
  }

  private boolean isHeld(OperationId id) {
    return record(id).filter(Operation.InProgress.class::isInstance).isPresent();
  }

  @Override
  public CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost) {
    var now = clock.instant();
    return completedFuture(
        all()
            .filter(entry -> entry.getValue() instanceof Operation.Released)
            .filter(entry -> entry.getValue().isForgotten(now))
            .map(entry -> new Forgotten(entry.getKey(), entry.getValue().grant().expiresAt()))
            .filter(forgotten -> !forgotten.expiredAt().isBefore(from))
            .sorted(Comparator.comparing(Forgotten::expiredAt))
            .limit(atMost)
            .toList());
  }
}
