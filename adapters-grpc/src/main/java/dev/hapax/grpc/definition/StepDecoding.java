package dev.hapax.grpc.definition;

import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.StepDefinition.Kind;
import dev.hapax.domain.definition.StepDefinition.Timer;
import dev.hapax.domain.definition.StepDefinition.Work;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.RetryPolicies;
import dev.hapax.grpc.call.SignalFilterFields;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.TimerStep;
import java.time.Duration;

/**
 * Decodes one step of a definition.
 *
 * @param path the path of the step, such as {@code steps[2]}
 */
record StepDecoding(String path) {

  StepDefinition step(dev.hapax.v1.StepDefinition sent) {
    return new StepDefinition(sent.getName(), kind(sent));
  }

  private Kind kind(dev.hapax.v1.StepDefinition sent) {
    return switch (sent.getKindCase()) {
      case TASK -> {
        var task = sent.getTask();
        yield new StepDefinition.Task(
            new Work(
                task.getQueue(),
                lease(task.hasLease(), task.getLease()),
                retry("task", task.getRetry()),
                Durations.decode(task.hasAttemptTimeout(), task.getAttemptTimeout()),
                LimitFields.read(path + ".task.limits", task.getLimitsList())),
            task.getAtMostOnce());
      }
      case CODE -> {
        var code = sent.getCode();
        yield new StepDefinition.Code(
            new Work(
                code.getQueue(),
                lease(code.hasLease(), code.getLease()),
                retry("code", code.getRetry()),
                Durations.decode(code.hasAttemptTimeout(), code.getAttemptTimeout()),
                LimitFields.read(path + ".code.limits", code.getLimitsList())),
            RetryPolicies.decode(code.getPartRetry(), RetryPolicy.OF_PARTS));
      }
      case TIMER -> timer(sent.getTimer());
      case SIGNAL -> signal(path + ".signal", sent.getSignal());
      case KIND_NOT_SET -> throw new IllegalStateException("rejected before");
    };
  }

  private static Duration lease(boolean isSet, com.google.protobuf.Duration sent) {
    return Durations.decode(isSet, sent, LeaseLimits.DEFAULT_OF_TASK);
  }

  private RetryPolicy retry(String kind, dev.hapax.v1.RetryPolicy sent) {
    if (sent.hasGiveUpAfter()) {
      throw new InvalidFieldException(
          path + "." + kind + ".retry.give_up_after", "is only allowed in part_retry");
    }
    return RetryPolicies.decode(sent, RetryPolicy.DEFAULT);
  }

  private static Kind timer(TimerStep sent) {
    return switch (sent.getTimeCase()) {
      case DURATION -> new Timer(new Timer.After(Durations.decode(sent.getDuration())));
      case UNTIL -> new Timer(new Timer.At(Durations.decode(sent.getUntil())));
      case TIME_NOT_SET -> throw new IllegalStateException("rejected before");
    };
  }

  private static Kind signal(String at, SignalStep sent) {
    return new StepDefinition.Signal(
        filter(at, sent), Durations.decode(sent.hasTimeout(), sent.getTimeout()));
  }

  private static SignalFilter.OfDefinition filter(String at, SignalStep sent) {
    if (sent.hasAny()) {
      SignalFilterFields.requireUnset(at + ".any", sent.getType(), sent.getHookName());
      return new SignalFilter.Any();
    }
    return SignalFilterFields.read(sent.getType(), sent.getHookName())
        .orElseThrow(() -> new InvalidFieldException(at, "must have type, hook_name or any"));
  }
}
