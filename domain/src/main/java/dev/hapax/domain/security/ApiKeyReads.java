package dev.hapax.domain.security;

import java.util.concurrent.CompletableFuture;

/** Reads API keys. */
public interface ApiKeyReads {
  /** The revision of the keys, which every change raises. */
  CompletableFuture<Long> revision();

  /** The keys that are neither revoked nor expired, at their revision. */
  CompletableFuture<ApiKeyRing> live();
}
