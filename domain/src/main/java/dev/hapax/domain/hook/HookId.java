package dev.hapax.domain.hook;

import dev.hapax.domain.Digest;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.UUID;

/**
 * The hash of a hook token. The token itself is never stored: a caller that knows it can signal its
 * run and dispose of it.
 */
public record HookId(Workspace workspace, UUID hash) implements RecordKey<Hook> {
  public static HookId of(Workspace workspace, String token) {
    return new HookId(workspace, Digest.sha256("hook/" + Text.requiredName(token)));
  }

  public HookFingerprint fingerprint() {
    return HookFingerprint.of(hash);
  }

  @Override
  public String toString() {
    return workspace.name() + "/hook " + fingerprint().text();
  }
}
