package dev.hapax.domain;

import java.util.UUID;

/**
 * The token through which a signal arrived.
 *
 * @param hash the token, condensed
 * @param name what its run calls it; empty = it has no name
 */
public record SourceHook(UUID hash, String name) {
  public HookFingerprint fingerprint() {
    return HookFingerprint.of(hash);
  }
}
