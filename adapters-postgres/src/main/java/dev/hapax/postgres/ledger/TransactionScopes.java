package dev.hapax.postgres.ledger;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Sets the scopes of the transactions of one committer by SET LOCAL: a database of several nodes
 * passes that on to the node of the rows, and set_config not. Used by one thread.
 */
final class TransactionScopes {
  /**
   * SET has no parameters, so each scope is another text, and each connection prepares the
   * statements of its pipelines anew. Only the first scopes have one.
   */
  private static final int TEXTS = 4;

  private static final String OF_OTHERS = "SELECT hapax.set_scope(?)";

  private final Set<WorkspaceScope> withText = new HashSet<>();

  /** Adds the statement that sets the scope until the end of the transaction. */
  void set(Pipeline pipeline, WorkspaceScope scope) {
    if (withText.size() < TEXTS) {
      withText.add(scope);
    }
    if (withText.contains(scope)) {
      // no name has a quote
      pipeline.add("SET LOCAL hapax.scope = '" + scope.names() + "'");
    } else {
      pipeline.query(OF_OTHERS, List.of(scope.names()), _ -> {});
    }
  }
}
