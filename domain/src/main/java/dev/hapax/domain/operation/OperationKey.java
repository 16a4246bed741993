package dev.hapax.domain.operation;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;

/**
 * The idempotency key as its caller knows it.
 *
 * @param account on whose behalf; not part of the identity when {@code accountChanging}
 * @param accountChanging the work changes the account, so the key is found without it
 */
public record OperationKey(
    Workspace workspace,
    String account,
    String operation,
    String requestId,
    boolean accountChanging) {

  public OperationKey {
    Text.name(account);
    Text.requiredName(operation);
    Text.requiredName(requestId);
  }
}
