package dev.hapax.domain.intent;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Set;

/**
 * What a database role may post in a workspace.
 *
 * @param grantedBy the user of the operating system
 * @param isOver whether the role was dropped or renamed: the grant counts for no role any more
 */
public record SqlGrant(
    String role,
    Workspace workspace,
    Set<IntentVerb> verbs,
    Instant grantedAt,
    String grantedBy,
    boolean isOver) {
  public SqlGrant {
    verbs = Set.copyOf(verbs);
  }
}
