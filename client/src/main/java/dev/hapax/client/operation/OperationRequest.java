package dev.hapax.client.operation;

import dev.hapax.client.Fingerprint;
import dev.hapax.client.internal.KeyText;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request to run work once. The key is operation, request id and, unless the policy is
 * account-changing, the account; each has at most 255 characters and 1 KiB, no control characters.
 *
 * @param operation the name of the operation, such as {@code orders.v1.Orders/Place}
 * @param requestId the idempotency key of the caller; empty = none: the work runs, and nothing is
 *     recorded
 * @param account the account of the request; empty, the default, is an account like any other
 * @param fingerprint must be the same in duplicates. Default {@link Fingerprint#NONE}
 * @param policy null = the policy of the {@link Operations}
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
      throw new IllegalArgumentException("operation must not be empty if there is a requestId");
    }
  }

  /** A request with the defaults named above. */
  public static OperationRequest of(String operation, String requestId) {
    return new OperationRequest(operation, requestId, "", Fingerprint.NONE, null);
  }

  /** Returns a copy with another {@link #account}. */
  public OperationRequest withAccount(String account) {
    return new OperationRequest(operation, requestId, account, fingerprint, policy);
  }

  /** Returns a copy with another {@link #fingerprint}. */
  public OperationRequest withFingerprint(Fingerprint fingerprint) {
    return new OperationRequest(operation, requestId, account, fingerprint, policy);
  }

  /** Returns a copy with its own {@link #policy}. */
  public OperationRequest withPolicy(OperationPolicy policy) {
    return new OperationRequest(operation, requestId, account, fingerprint, policy);
  }
}
