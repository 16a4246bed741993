package dev.hapax.domain.intent;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Set;

/**
 * What a database role may post in a workspace.
 *
 * @param grantedBy the user of the operating system
 */
public record SqlGrant(
    String role, Workspace workspace, Set<IntentVerb> verbs, Instant grantedAt, String grantedBy) {
  public SqlGrant {
    verbs = Set.copyOf(verbs);
  }
}
