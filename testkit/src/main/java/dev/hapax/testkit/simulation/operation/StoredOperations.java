package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.testkit.simulation.SimulatedNode;
import dev.hapax.testkit.simulation.Simulation;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The reads of operations of one simulated node. */
record StoredOperations(Simulation<?> simulation, SimulatedNode node) implements OperationReads {

  /** All operations, including expired ones. */
  static Stream<Map.Entry<OperationId, Operation>> all(Simulation<?> simulation) {
    return simulation.store().records().entrySet().stream()
        .map(entry -> Map.entry((OperationId) entry.getKey(), (Operation) entry.getValue()));
  }

  private Optional<Operation> load(OperationId id) {
    return Optional.ofNullable((Operation) simulation.store().records().get(id));
  }

  @Override
  public CompletableFuture<Optional<Operation>> find(OperationId id) {
    return node.read(() -> load(id).filter(operation -> !operation.isForgotten(simulation.now())));
  }

  @Override
  public CompletableFuture<Page<Listed, Position>> list(Query query) {
    throw new UnsupportedOperationException("lists are not simulated");
  }

  @Override
  public CompletableFuture<Set<OperationId>> ended(Set<OperationId> held) {
    return node.read(
        () -> held.stream().filter(id -> !isHeld(id)).collect(Collectors.toUnmodifiableSet()));
  }

  private boolean isHeld(OperationId id) {
    return load(id).filter(Operation.InProgress.class::isInstance).isPresent();
  }

  @Override
  public CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost) {
    return node.read(
        () ->
            all(simulation)
                .filter(entry -> entry.getValue() instanceof Operation.Released)
                .filter(entry -> entry.getValue().isForgotten(simulation.now()))
                .map(entry -> new Forgotten(entry.getKey(), entry.getValue().grant().expiresAt()))
                .filter(forgotten -> !forgotten.expiredAt().isBefore(from))
                .sorted(Comparator.comparing(Forgotten::expiredAt))
                .limit(atMost)
                .toList());
  }
}
