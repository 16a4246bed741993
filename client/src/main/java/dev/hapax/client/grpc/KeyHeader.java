package dev.hapax.client.grpc;

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
    String key = singleKey(headers);
    if (key.isEmpty() && required) {
      throw IdempotencyStatus.of(
          Status.Code.INVALID_ARGUMENT,
          IdempotencyReason.IDEMPOTENCY_KEY_REQUIRED,
          "the method requires the header idempotency-key");
    }
    try {
      return key.isEmpty() ? key : KeyText.header("idempotency-key", key);
    } catch (IllegalArgumentException invalid) {
      throw invalidKey(String.valueOf(invalid.getMessage()));
    }
  }

  private static String singleKey(Metadata headers) {
    Iterable<String> all = headers.getAll(IdempotencyInterceptor.KEY);
    String key = "";
    if (all != null) {
      for (String one : all) {
        if (!key.isEmpty() && !key.equals(one)) {
          throw invalidKey("the header idempotency-key must occur once");
        }
        key = one;
      }
    }
    return key;
  }

  private static StatusRuntimeException invalidKey(String message) {
    return IdempotencyStatus.of(
        Status.Code.INVALID_ARGUMENT, IdempotencyReason.IDEMPOTENCY_KEY_INVALID, message);
  }
}
