package dev.hapax.domain.security;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Records when API keys were last used. */
public interface ApiKeyUses {
  /** Records that the keys with these ids were used in this hour, by the database's clock. */
  CompletableFuture<Void> record(Set<String> ids);
}
