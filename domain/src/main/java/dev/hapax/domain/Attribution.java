package dev.hapax.domain;

/**
 * The author and reason of a change.
 *
 * @param actor as the caller claims; may be empty
 * @param reason as the caller gave it; may be empty
 * @param principal of the call, which the server verified
 */
public record Attribution(String actor, String reason, PrincipalName principal) {
  public static final Attribution SERVER = new Attribution("server", "", PrincipalName.NONE);

  public Attribution {
    Text.name(actor);
    Text.name(reason);
  }
}
