package dev.hapax.domain.janitor;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The id of a module's janitor. */
public record JanitorId(Workspace workspace, String module) implements RecordKey<Janitor> {
  public JanitorId {
    Text.requiredName(module);
  }

  /** The author of the janitor's own changes. */
  public Attribution attribution() {
    var actor = "janitor " + module;
    var length = Math.min(Text.MAX_LENGTH, actor.codePointCount(0, actor.length()));
    return new Attribution(
        actor.substring(0, actor.offsetByCodePoints(0, length)), "", PrincipalName.NONE);
  }
}
