package dev.hapax.postgres.security;

import dev.hapax.domain.security.ApiKeyUses;
import dev.hapax.postgres.read.WideReads;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Records the hour in which an API key was last used. */
public final class PostgresApiKeyUses implements ApiKeyUses {
  /** Of several servers the first one in an hour writes. */
  private static final String RECORD =
      """
      INSERT INTO hapax.api_key_use AS known (id, last_used_at)
      SELECT id, date_trunc('hour', now()) FROM hapax.api_key WHERE id = ANY (?) ORDER BY id
      ON CONFLICT (id) DO UPDATE SET last_used_at = excluded.last_used_at
      WHERE known.last_used_at < excluded.last_used_at""";

  private final WideReads connections;

  public PostgresApiKeyUses(WideReads connections) {
    this.connections = connections;
  }

  @Override
  public CompletableFuture<Void> record(Set<String> ids) {
    return connections
        .submit(
            session -> {
              var connection = session.connection();
              try (var statement = connection.prepareStatement(RECORD)) {
                statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
                return statement.executeUpdate();
              }
            })
        .thenAccept(_ -> {});
  }
}
