package dev.hapax.grpc.definition;

import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.StepDefinition.Kind;
import dev.hapax.domain.definition.StepDefinition.Timer;
import dev.hapax.domain.definition.StepDefinition.Work;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.FieldViolations;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.SignalFilterFields;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.TimerStep;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Decodes one step of a definition.
 *
 * @param path the path of the step, such as {@code steps[2]}
 * @param violations collects its violations
 */
record StepDecoding(String path, FieldViolations violations) {
  private static final Kind INVALID =
      new StepDefinition.Signal(new SignalFilter.Any(), Optional.empty());
  private static final Duration SOME_TIME = Duration.ofSeconds(1);

  StepDefinition step(dev.hapax.v1.StepDefinition sent) {
    var name =
        violations.read(
            DefinitionDecoding.INVALID,
            () -> FieldReader.read(path + ".name", sent.getName(), StepDefinition::requireName));
    return new StepDefinition(name, kind(sent));
  }

  private Kind kind(dev.hapax.v1.StepDefinition sent) {
    return switch (sent.getKindCase()) {
      case TASK -> {
        var task = sent.getTask();
        yield new StepDefinition.Task(
            work(
                path + ".task",
                task.getQueue(),
                task.hasLease() ? Optional.of(task.getLease()) : Optional.empty(),
                task.getRetry()));
      }
      case CODE -> {
        var code = sent.getCode();
        yield new StepDefinition.Code(
            work(
                path + ".code",
                code.getQueue(),
                code.hasLease() ? Optional.of(code.getLease()) : Optional.empty(),
                code.getRetry()));
      }
      case TIMER -> violations.read(INVALID, () -> timer(path + ".timer", sent.getTimer()));
      case SIGNAL -> signal(path + ".signal", sent.getSignal());
      case KIND_NOT_SET -> {
        violations.add(path + ".kind", "must be task, timer, signal or code");
        yield INVALID;
      }
    };
  }

  private Work work(
      String at,
      String queue,
      Optional<com.google.protobuf.Duration> lease,
      dev.hapax.v1.RetryPolicy retry) {
    return new Work(
        violations.read(
            DefinitionDecoding.INVALID, () -> FieldReader.requiredName(at + ".queue", queue)),
        violations.read(
            LeaseLimits.DEFAULT_OF_TASK,
            () ->
                Durations.read(
                    at + ".lease",
                    lease.isPresent(),
                    lease.orElseGet(com.google.protobuf.Duration::getDefaultInstance),
                    LeaseLimits.DEFAULT_OF_TASK,
                    LeaseLimits::checked)),
        retry(at + ".retry", retry));
  }

  /** Decodes a policy; fields that are 0 or unset have their defaults. */
  private RetryPolicy retry(String at, dev.hapax.v1.RetryPolicy sent) {
    var unset = RetryPolicy.DEFAULT;
    var attempts = sent.getMaxAttempts();
    var factor = sent.getFactor();
    return new RetryPolicy(
        violations.read(
            unset.maxAttempts(),
            () ->
                attempts == 0
                    ? unset.maxAttempts()
                    : FieldReader.read(
                        at + ".max_attempts", attempts, RetryPolicy::requireAttempts)),
        pause(at + ".initial", sent.hasInitial(), sent.getInitial(), unset.initial()),
        violations.read(
            unset.factor(),
            () ->
                factor == 0
                    ? unset.factor()
                    : FieldReader.read(at + ".factor", factor, RetryPolicy::requireFactor)),
        pause(at + ".max", sent.hasMax(), sent.getMax(), unset.max()),
        codes(at + ".non_retryable", sent.getNonRetryableList()));
  }

  private Duration pause(
      String at, boolean isSet, com.google.protobuf.Duration sent, Duration unset) {
    return violations.read(
        unset, () -> Durations.read(at, isSet, sent, unset, RetryPolicy::requirePause));
  }

  private Set<String> codes(String at, List<String> sent) {
    if (sent.size() > RetryPolicy.MAX_CODES) {
      violations.add(
          at,
          String.format(
              Locale.ROOT,
              "has %d codes; at most %d are allowed",
              sent.size(),
              RetryPolicy.MAX_CODES));
      return Set.of();
    }
    var codes = new HashSet<String>();
    for (var i = 0; i < sent.size(); i++) {
      var field = String.format(Locale.ROOT, "%s[%d]", at, i);
      var code = sent.get(i);
      codes.add(
          violations.read(DefinitionDecoding.INVALID, () -> FieldReader.requiredName(field, code)));
    }
    return codes;
  }

  private static Kind timer(String at, TimerStep sent) {
    return switch (sent.getTimeCase()) {
      case DURATION ->
          new Timer(
              new Timer.After(
                  Durations.read(
                      at + ".duration",
                      true,
                      sent.getDuration(),
                      SOME_TIME,
                      StepDefinition::requireWait)));
      case UNTIL -> new Timer(new Timer.At(Durations.read(at + ".until", sent.getUntil())));
      case TIME_NOT_SET ->
          throw new InvalidFieldException(at + ".time", "must be duration or until");
    };
  }

  private static SignalFilter.OfDefinition filter(String at, SignalStep sent) {
    if (sent.hasAny()) {
      SignalFilterFields.requireUnset(at + ".any", sent.getType(), sent.getHookName());
      return new SignalFilter.Any();
    }
    return SignalFilterFields.read(at, sent.getType(), sent.getHookName())
        .orElseThrow(() -> new InvalidFieldException(at, "must have type, hook_name or any"));
  }

  private Kind signal(String at, SignalStep sent) {
    return new StepDefinition.Signal(
        violations.read(new SignalFilter.Any(), () -> filter(at, sent)),
        violations.read(
            Optional.empty(),
            () ->
                sent.hasTimeout()
                    ? Optional.of(
                        Durations.read(
                            at + ".timeout",
                            true,
                            sent.getTimeout(),
                            SOME_TIME,
                            StepDefinition::requireWait))
                    : Optional.empty()));
  }
}
