package dev.hapax.client.operation;

import dev.hapax.client.internal.KeyText;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** Reads the idempotency key of a gRPC call. */
final class KeyHeader {

  private KeyHeader() {}

  /**
   * Returns the key, or empty if there is none.
   *
   * @throws StatusRuntimeException INVALID_ARGUMENT for a key that is missing, unusable or
   *     ambiguous
   */
  static String read(Metadata headers, boolean required) {
    String key = only(headers);
    if (key.isEmpty() && required) {
      throw IdempotencyStatus.of(
          Status.Code.INVALID_ARGUMENT,
          IdempotencyReason.IDEMPOTENCY_KEY_REQUIRED,
          "the method needs the header idempotency-key");
    }
    try {
      return KeyText.check("idempotency-key", key);
    } catch (IllegalArgumentException invalid) {
      throw bad(String.valueOf(invalid.getMessage()));
    }
  }

  private static String only(Metadata headers) {
    Iterable<String> all = headers.getAll(IdempotencyInterceptor.KEY);
    String key = "";
    if (all != null) {
      for (String one : all) {
        if (!key.isEmpty() && !key.equals(one)) {
          throw bad("there is more than one idempotency-key");
        }
        key = one;
      }
    }
    return key;
  }

  private static StatusRuntimeException bad(String message) {
    return IdempotencyStatus.of(
        Status.Code.INVALID_ARGUMENT, IdempotencyReason.IDEMPOTENCY_KEY_INVALID, message);
  }
}
