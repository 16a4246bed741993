package dev.hapax.domain.operation;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;

/**
 * The idempotency key of an operation as its caller knows it.
 *
 * @param account on whose behalf the caller acts; not part of the id if {@code accountChanging}
 * @param accountChanging the operation changes the account, so the id does not include it
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
