package dev.hapax.grpc.definition;

import com.google.protobuf.Empty;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.StepDefinition.Timer;
import dev.hapax.domain.definition.StepDefinition.Work;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.RetryPolicies;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.TimerStep;
import java.util.Optional;

/** Encodes definitions. Fields with their default value stay unset, as most registrations do. */
final class DefinitionEncoding {
  private DefinitionEncoding() {}

  static dev.hapax.v1.Definition definition(Definition definition) {
    var message = summary(definition).toBuilder();
    definition.steps().forEach(step -> message.addSteps(step(step)));
    return message.build();
  }

  /** Encodes a definition without steps, for lists. */
  static dev.hapax.v1.Definition summary(Definition definition) {
    var message =
        dev.hapax.v1.Definition.newBuilder()
            .setWorkspace(definition.id().workspace().name())
            .setName(definition.id().name())
            .setVersion(definition.id().version())
            .setRegisteredAt(Durations.encode(definition.registeredAt()))
            .setRegisteredBy(definition.registrant().actor())
            .setRegisteredByPrincipal(definition.registrant().principal().text())
            .setReason(definition.registrant().reason());
    definition.timeout().map(Durations::encode).ifPresent(message::setTimeout);
    definition.limits().forEach(limit -> message.addLimits(LimitFields.message(limit)));
    return message.build();
  }

  static dev.hapax.v1.StepDefinition step(StepDefinition step) {
    var message = dev.hapax.v1.StepDefinition.newBuilder().setName(step.name());
    switch (step.kind()) {
      case StepDefinition.Task(var work, var atMostOnce) -> message.setTask(task(work, atMostOnce));
      case StepDefinition.Code(var work, var partRetry) -> message.setCode(code(work, partRetry));
      case Timer(var end) -> message.setTimer(timer(end));
      case StepDefinition.Signal signal -> message.setSignal(signal(signal));
    }
    return message.build();
  }

  private static TaskStep task(Work work, boolean atMostOnce) {
    var message = TaskStep.newBuilder().setQueue(work.queue()).setAtMostOnce(atMostOnce);
    lease(work).ifPresent(message::setLease);
    RetryPolicies.encode(work.retry(), RetryPolicy.DEFAULT).ifPresent(message::setRetry);
    work.attemptTimeout().map(Durations::encode).ifPresent(message::setAttemptTimeout);
    work.limits().forEach(limit -> message.addLimits(LimitFields.message(limit)));
    return message.build();
  }

  private static CodeStep code(Work work, RetryPolicy partRetry) {
    var message = CodeStep.newBuilder().setQueue(work.queue());
    lease(work).ifPresent(message::setLease);
    RetryPolicies.encode(work.retry(), RetryPolicy.DEFAULT).ifPresent(message::setRetry);
    RetryPolicies.encode(partRetry, RetryPolicy.OF_PARTS).ifPresent(message::setPartRetry);
    work.attemptTimeout().map(Durations::encode).ifPresent(message::setAttemptTimeout);
    work.limits().forEach(limit -> message.addLimits(LimitFields.message(limit)));
    return message.build();
  }

  private static Optional<com.google.protobuf.Duration> lease(Work work) {
    return work.lease().equals(LeaseLimits.DEFAULT_OF_TASK)
        ? Optional.empty()
        : Optional.of(Durations.encode(work.lease()));
  }

  private static TimerStep timer(Timer.End end) {
    return switch (end) {
      case Timer.After(var duration) ->
          TimerStep.newBuilder().setDuration(Durations.encode(duration)).build();
      case Timer.At(var time) -> TimerStep.newBuilder().setUntil(Durations.encode(time)).build();
    };
  }

  private static SignalStep signal(StepDefinition.Signal signal) {
    var message = SignalStep.newBuilder();
    switch (signal.filter()) {
      case SignalFilter.Any() -> message.setAny(Empty.getDefaultInstance());
      case SignalFilter.OfType(var type) -> message.setType(type);
      case SignalFilter.OfHookName(var name, var type) -> {
        message.setHookName(name);
        type.ifPresent(message::setType);
      }
    }
    signal.timeout().map(Durations::encode).ifPresent(message::setTimeout);
    return message.build();
  }
}
