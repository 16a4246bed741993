package dev.hapax.grpc.call;

import dev.hapax.domain.definition.RetryPolicy;
import java.util.Optional;
import java.util.Set;

/** Decodes and encodes retry policies. Fields that are 0 or unset have the values of another. */
public final class RetryPolicies {
  private RetryPolicies() {}

  public static RetryPolicy decode(dev.hapax.v1.RetryPolicy sent, RetryPolicy unset) {
    return new RetryPolicy(
        sent.getMaxAttempts() == 0 ? unset.maxAttempts() : sent.getMaxAttempts(),
        Durations.decode(sent.hasInitial(), sent.getInitial(), unset.initial()),
        sent.getFactor() == 0 ? unset.factor() : sent.getFactor(),
        Durations.decode(sent.hasMax(), sent.getMax(), unset.max()),
        Set.copyOf(sent.getNonRetryableList()),
        Set.copyOf(sent.getRetryOnlyList()),
        Durations.decode(sent.hasGiveUpAfter(), sent.getGiveUpAfter()));
  }

  /** Encodes what differs; empty = nothing. */
  public static Optional<dev.hapax.v1.RetryPolicy> encode(RetryPolicy retry, RetryPolicy unset) {
    if (retry.equals(unset)) {
      return Optional.empty();
    }
    var message = dev.hapax.v1.RetryPolicy.newBuilder();
    if (retry.maxAttempts() != unset.maxAttempts()) {
      message.setMaxAttempts(retry.maxAttempts());
    }
    if (!retry.initial().equals(unset.initial())) {
      message.setInitial(Durations.encode(retry.initial()));
    }
    if (retry.factor() != unset.factor()) {
      message.setFactor(retry.factor());
    }
    if (!retry.max().equals(unset.max())) {
      message.setMax(Durations.encode(retry.max()));
    }
    retry.nonRetryable().stream().sorted().forEach(message::addNonRetryable);
    retry.retryOnly().stream().sorted().forEach(message::addRetryOnly);
    retry.giveUpAfter().map(Durations::encode).ifPresent(message::setGiveUpAfter);
    return Optional.of(message.build());
  }
}
