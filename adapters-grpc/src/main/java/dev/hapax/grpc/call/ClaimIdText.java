package dev.hapax.grpc.call;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Prints and parses the ids of claims: a prefix and base64, in one canonical form. */
public final class ClaimIdText {
  private ClaimIdText() {}

  public static String print(String prefix, byte[] bytes) {
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Parses an id; empty if {@link #print} does not make it. */
  public static Optional<byte[]> read(String prefix, String id) {
    if (!id.startsWith(prefix)) {
      return Optional.empty();
    }
    try {
      var text = id.substring(prefix.length()).getBytes(StandardCharsets.UTF_8);
      return Optional.of(Base64.getUrlDecoder().decode(text))
          .filter(bytes -> print(prefix, bytes).equals(id));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
