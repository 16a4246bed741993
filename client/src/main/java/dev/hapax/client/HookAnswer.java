package dev.hapax.client;

import dev.hapax.v1.CreateHookResponse;
import java.util.Optional;

/**
 * What became of a request for a token.
 *
 * @param message as Hapax sent it
 */
public record HookAnswer(CreateHookResponse message) {

  /** The run that owns the token instead; empty = the run of the request owns it. */
  public Optional<Owner> conflict() {
    if (!message.hasConflict()) {
      return Optional.empty();
    }
    CreateHookResponse.Conflict owner = message.getConflict();
    return Optional.of(Owner.of(owner.getRunId(), owner.getStatus(), owner.getEnded()));
  }

  /** Identifies the token without revealing it, as signals do; empty if there is a conflict. */
  public String fingerprint() {
    return message.getHook().getFingerprint();
  }

  /** Whether the run owned the token before, so that nothing was changed. */
  public boolean isRepeated() {
    return message.getAlready();
  }
}
