package dev.hapax.domain.definition;

import java.time.Instant;
import java.util.Comparator;

/** The version of a definition that was registered last. */
public record LatestDefinition(String version, Instant registeredAt) {
  /** Of versions registered at one instant, the last in the order of lists counts. */
  private static final Comparator<LatestDefinition> ORDER =
      Comparator.comparing(LatestDefinition::registeredAt).thenComparing(LatestDefinition::version);

  public static LatestDefinition of(Definition definition) {
    return new LatestDefinition(definition.id().version(), definition.registeredAt());
  }

  public boolean isBefore(LatestDefinition other) {
    return ORDER.compare(this, other) < 0;
  }
}
