package dev.hapax.client.operation;

import dev.hapax.client.Fingerprint;
import dev.hapax.client.internal.KeyText;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which work is to run once. The key is operation, request id and, unless the policy says
 * account-changing, the account; each has at most 255 characters and 1 KiB, no control characters.
 *
 * @param operation which handler, such as {@code orders.v1.Orders/Place}
 * @param requestId the idempotency key as the caller sent it; empty = none: the work runs, and
 *     nothing is remembered
 * @param account on whose behalf; empty is an account like any other, and the default
 * @param fingerprint a duplicate must carry the same. Default {@link Fingerprint#NONE}
 * @param policy null = the one {@link Operations} was built with
 */
public record OperationRequest(
    String operation,
    String requestId,
    String account,
    Fingerprint fingerprint,
    @Nullable OperationPolicy policy) {

  /** Checks the limits. */
  public OperationRequest {
    KeyText.check("operation", operation);
    KeyText.check("requestId", requestId);
    KeyText.check("account", account);
    Objects.requireNonNull(fingerprint, "fingerprint");
    if (operation.isEmpty() && !requestId.isEmpty()) {
      throw new IllegalArgumentException("operation is empty");
    }
  }

  /** With the defaults named above. */
  public static OperationRequest of(String operation, String requestId) {
    return new OperationRequest(operation, requestId, "", Fingerprint.NONE, null);
  }

  /** With another {@link #account}. */
  public OperationRequest withAccount(String account) {
    return new OperationRequest(operation, requestId, account, fingerprint, policy);
  }

  /** With another {@link #fingerprint}. */
  public OperationRequest withFingerprint(Fingerprint fingerprint) {
    return new OperationRequest(operation, requestId, account, fingerprint, policy);
  }

  /** With its own {@link #policy}. */
  public OperationRequest withPolicy(OperationPolicy policy) {
    return new OperationRequest(operation, requestId, account, fingerprint, policy);
  }
}
