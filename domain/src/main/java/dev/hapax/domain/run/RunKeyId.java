package dev.hapax.domain.run;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.UUID;

/** The hash of a run's idempotency key. */
public record RunKeyId(Workspace workspace, UUID hash) implements RecordKey<RunKey> {
  public static RunKeyId of(Workspace workspace, String key) {
    return new RunKeyId(workspace, Digest.sha256(Text.requiredName(key)));
  }
}
