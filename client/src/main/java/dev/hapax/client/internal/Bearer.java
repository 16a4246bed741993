package dev.hapax.client.internal;

/** The credentials in an {@code authorization} header. Its text never shows the secret. */
public sealed interface Bearer permits ApiKey, Jwt {

  /** The value of the header. */
  String authorization();
}
