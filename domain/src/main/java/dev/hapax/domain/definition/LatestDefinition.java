package dev.hapax.domain.definition;

import java.time.Instant;
import java.util.Comparator;

/** The latest version of a definition. */
public record LatestDefinition(String version, Instant registeredAt) {
  /** Breaks ties between versions registered at the same instant, in the order of lists. */
  private static final Comparator<LatestDefinition> ORDER =
      Comparator.comparing(LatestDefinition::registeredAt).thenComparing(LatestDefinition::version);

  public static LatestDefinition of(Definition definition) {
    return new LatestDefinition(definition.id().version(), definition.registeredAt());
  }

  public boolean isBefore(LatestDefinition other) {
    return ORDER.compare(this, other) < 0;
  }
}
