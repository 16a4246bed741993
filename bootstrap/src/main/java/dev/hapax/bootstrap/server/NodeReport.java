package dev.hapax.bootstrap.server;

import dev.hapax.application.security.ApiKeys;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.domain.monitoring.NodeFacts.Expiry;
import dev.hapax.domain.monitoring.NodeFacts.KeyCopy;
import dev.hapax.postgres.PostgresStore;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What this server reports of itself to the others.
 *
 * @param keys empty = callers are not authenticated
 */
record NodeReport(
    ServerConfig config,
    PostgresStore store,
    StartupCertificates certificates,
    Optional<ApiKeys> keys)
    implements Supplier<NodeFacts> {
  @Override
  public NodeFacts get() {
    return new NodeFacts(
        config.ledger().committers(),
        keys.map(copy -> new KeyCopy(copy.live(), copy.readAt())),
        store.clock().offset(),
        certificates.statuses().stream()
            .map(status -> new Expiry(status.use().label(), status.expires()))
            .toList());
  }
}
