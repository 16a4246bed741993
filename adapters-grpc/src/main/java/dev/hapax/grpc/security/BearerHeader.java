package dev.hapax.grpc.security;

import io.grpc.Metadata;
import java.util.Optional;

/**
 * The header {@code authorization} of a call.
 *
 * @param isMalformed whether there are several, or one of another scheme than Bearer
 */
record BearerHeader(Optional<String> secret, boolean isMalformed) {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final String SCHEME = "Bearer ";

  static BearerHeader read(Metadata headers) {
    var values = headers.getAll(AUTHORIZATION);
    if (values == null) {
      return new BearerHeader(Optional.empty(), false);
    }
    var iterator = values.iterator();
    var text = iterator.next();
    return iterator.hasNext() || !text.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? new BearerHeader(Optional.empty(), true)
        : new BearerHeader(Optional.of(text.substring(SCHEME.length()).strip()), false);
  }

  /** Returns whether there is a secret, without it. */
  @Override
  public String toString() {
    return "BearerHeader[%s]".formatted(secret.isPresent() ? "***" : "none");
  }
}
