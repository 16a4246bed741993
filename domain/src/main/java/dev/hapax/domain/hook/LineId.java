package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.UUID;

/**
 * The key of a line: that of a token, or of a limit. A decision about it locks the token or limit
 * as well.
 */
public record LineId(Workspace workspace, UUID hash) implements RecordKey<Line> {
  /** The line of a token. */
  public LineId(HookId hook) {
    this(hook.workspace(), hook.hash());
  }
}
