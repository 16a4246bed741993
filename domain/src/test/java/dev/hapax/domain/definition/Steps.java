package dev.hapax.domain.definition;

import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Definitions to test with. */
public final class Steps {
  public static final String QUEUE = "work";
  public static final Duration LEASE = Duration.ofSeconds(30);

  /** Three attempts; a failure with this code is final. */
  public static final String FATAL = "FATAL";

  public static final RetryPolicy RETRY =
      new RetryPolicy(3, Duration.ofSeconds(10), 2, Duration.ofMinutes(1), Set.of(FATAL));

  private Steps() {}

  public static Definition definition(StepDefinition... steps) {
    return new Definition(
        new DefinitionId(Workspace.DEFAULT, "order", "1"), List.of(steps), Instant.EPOCH);
  }

  public static StepDefinition task(String name) {
    return task(name, QUEUE, RETRY);
  }

  public static StepDefinition task(String name, String queue, RetryPolicy retry) {
    return new StepDefinition(name, new StepDefinition.Task(work(queue, retry)));
  }

  /** A task that no other worker gets once its lease is over. */
  public static StepDefinition atMostOnce(String name, RetryPolicy retry) {
    return new StepDefinition(name, new StepDefinition.Task(work(QUEUE, retry), true));
  }

  public static StepDefinition code(String name) {
    return new StepDefinition(name, new StepDefinition.Code(work(QUEUE, RETRY)));
  }

  /** A step whose parts have this policy. */
  public static StepDefinition code(String name, RetryPolicy retry, RetryPolicy ofParts) {
    return new StepDefinition(name, new StepDefinition.Code(work(QUEUE, retry), ofParts));
  }

  /** The same step with so much time for each attempt. */
  public static StepDefinition within(Duration timeout, StepDefinition step) {
    var work = step.work().orElseThrow();
    var timed =
        new StepDefinition.Work(work.queue(), work.lease(), work.retry(), Optional.of(timeout));
    return new StepDefinition(
        step.name(),
        step.kind() instanceof StepDefinition.Code(_, var ofParts)
            ? new StepDefinition.Code(timed, ofParts)
            : new StepDefinition.Task(timed, step.isAtMostOnce()));
  }

  public static StepDefinition.Work work(String queue, RetryPolicy retry) {
    return new StepDefinition.Work(queue, LEASE, retry);
  }

  public static StepDefinition timer(String name, Duration duration) {
    return new StepDefinition(
        name, new StepDefinition.Timer(new StepDefinition.Timer.After(duration)));
  }

  public static StepDefinition timer(String name, Instant time) {
    return new StepDefinition(name, new StepDefinition.Timer(new StepDefinition.Timer.At(time)));
  }

  public static StepDefinition signal(String name, String type) {
    return new StepDefinition(name, new StepDefinition.Signal(filter(type), Optional.empty()));
  }

  public static StepDefinition signal(String name, String type, Duration timeout) {
    return new StepDefinition(name, new StepDefinition.Signal(filter(type), Optional.of(timeout)));
  }

  public static StepDefinition hookSignal(String name, String hook) {
    return new StepDefinition(
        name, new StepDefinition.Signal(new SignalFilter.OfHookName(hook), Optional.empty()));
  }

  /** Of this type; empty = any signal. */
  public static SignalFilter.OfDefinition filter(String type) {
    return type.isEmpty() ? new SignalFilter.Any() : new SignalFilter.OfType(type);
  }
}
