package dev.hapax.testkit.definition;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads definitions from the records of an in-memory ledger. */
public final class InMemoryDefinitionReads implements DefinitionReads {
  private static final Comparator<Position> ORDER =
      Comparator.comparing(Position::registeredAt)
          .thenComparing(Position::name)
          .thenComparing(Position::version)
          .reversed();

  private final InMemoryLedger ledger;

  public InMemoryDefinitionReads(InMemoryLedger ledger) {
    this.ledger = ledger;
  }

  private Stream<Definition> all(Workspace workspace) {
    return ledger.records().values().stream()
        .filter(Definition.class::isInstance)
        .map(Definition.class::cast)
        .filter(definition -> definition.id().workspace().equals(workspace))
        .sorted(Comparator.comparing(InMemoryDefinitionReads::position, ORDER));
  }

  private static Position position(Definition definition) {
    return new Position(
        definition.registeredAt(), definition.id().name(), definition.id().version());
  }

  @Override
  public CompletableFuture<Optional<Definition>> find(DefinitionId id) {
    return completedFuture(
        all(id.workspace()).filter(definition -> definition.id().equals(id)).findFirst());
  }

  @Override
  public CompletableFuture<Optional<Definition>> latest(Workspace workspace, String name) {
    return completedFuture(
        all(workspace).filter(definition -> definition.id().name().equals(name)).findFirst());
  }

  @Override
  public CompletableFuture<Page<Definition, Position>> list(Query query) {
    var behind =
        all(query.workspace())
            .filter(d -> query.name().isEmpty() || d.id().name().equals(query.name().get()))
            .filter(
                d -> query.after().isEmpty() || ORDER.compare(position(d), query.after().get()) > 0)
            .toList();
    var items = behind.stream().limit(query.size()).toList();
    return completedFuture(
        new Page<>(
            items,
            items.size() < behind.size()
                ? Optional.of(position(items.getLast()))
                : Optional.empty()));
  }
}
