package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Digest;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.definition.RetryPolicy;
import java.time.Duration;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The terms of an after-effect in a lifecycle document. */
public sealed interface EffectTerms {
  /** Returns the after-effect with this name. */
  Effect of(String name);

  /** An after-effect with one step, in the queue with its name. */
  record Queued(Duration lease, RetryPolicy retry) implements EffectTerms {
    static final Queued DEFAULT = new Queued(LeaseLimits.DEFAULT_OF_TASK, RetryPolicy.DEFAULT);

    /** The version includes a digest of the terms, because a definition never changes. */
    @Override
    public Effect of(String name) {
      return equals(DEFAULT)
          ? Effect.plain(name)
          : new Effect(name, EffectDefinition.NAME, name + '@' + digest());
    }

    private String digest() {
      var codes =
          new TreeSet<>(retry.nonRetryable())
              .stream().map(code -> code.length() + ":" + code).collect(Collectors.joining());
      var text =
          String.format(
              Locale.ROOT,
              "%s %d %s %s %s %s",
              lease,
              retry.maxAttempts(),
              retry.initial(),
              retry.factor(),
              retry.max(),
              codes);
      return String.format(Locale.ROOT, "%016x", Digest.sha256(text).getMostSignificantBits());
    }
  }

  /** An after-effect that follows a registered definition. */
  record Registered(String definition, String version) implements EffectTerms {
    @Override
    public Effect of(String name) {
      return new Effect(name, definition, version);
    }
  }
}
