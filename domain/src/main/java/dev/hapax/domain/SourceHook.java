package dev.hapax.domain;

import java.util.UUID;

/**
 * The hook token through which a signal arrived.
 *
 * @param hash of the token
 * @param name by which its run refers to it; empty = none
 */
public record SourceHook(UUID hash, String name) {
  public HookFingerprint fingerprint() {
    return HookFingerprint.of(hash);
  }
}
