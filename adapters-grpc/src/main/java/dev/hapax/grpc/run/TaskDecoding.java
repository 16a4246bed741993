package dev.hapax.grpc.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RecordParts;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.SuspendTask;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.Payload.ContentCase;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Decodes the requests of workers about a task to functions of its claim. */
final class TaskDecoding {
  static final String CONSUMED = "consumed_signal_ids";

  private TaskDecoding() {}

  static Function<TaskClaim, CompleteTask> completion(
      CompleteTaskRequest request, RandomValues random) {
    var output = Payloads.decode(request.hasOutput(), request.getOutput());
    var patch = Payloads.object("state_patch", request.hasStatePatch(), request.getStatePatch());
    var consumed = List.copyOf(request.getConsumedSignalIdsList());
    var next = request.getWantNext() ? OptionalLong.of(random.nonce()) : OptionalLong.empty();
    var parts = PartDecoding.reports(request.getPartsList(), random);
    var principal = CallerReader.principal();
    return claim ->
        new CompleteTask(claim, output, patch, consumed, request.getSkip(), next, parts, principal);
  }

  static Function<TaskClaim, FailTask> failure(FailTaskRequest request, RandomValues random) {
    var isInDoubt = request.getKind() == FailureKind.FAILURE_KIND_UNKNOWN_EFFECT;
    var sent = Payloads.decode(request.hasFailure(), request.getFailure()).orElseThrow();
    var failure = isInDoubt ? sent.withCode(FailTask.UNKNOWN_EFFECT) : sent;
    var isFinal = isInDoubt || request.getKind() == FailureKind.FAILURE_KIND_FINAL;
    var parts = PartDecoding.reports(request.getPartsList(), random);
    var retryAfter = Durations.decode(request.hasRetryAfter(), request.getRetryAfter());
    var principal = CallerReader.principal();
    return claim ->
        new FailTask(claim, failure, isFinal, retryAfter, random.jitter(), parts, principal);
  }

  static Function<TaskClaim, SuspendTask> suspension(
      SuspendTaskRequest request, Instant now, RandomValues random) {
    var timer = timer(request, now);
    var signal =
        request.hasSignalFilter()
            ? Optional.of(SignalFilters.read("signal_filter", request.getSignalFilter()))
            : Optional.<SignalFilter>empty();
    if (timer.isEmpty() && signal.isEmpty()) {
      throw new InvalidFieldException("time", "or signal_filter is required");
    }
    var patch = Payloads.object("state_patch", request.hasStatePatch(), request.getStatePatch());
    var parts = PartDecoding.reports(request.getPartsList(), random);
    var principal = CallerReader.principal();
    return claim -> new SuspendTask(claim, timer, signal, patch, parts, principal);
  }

  /** A duration is counted by the clock of the decision; this clock only bounds {@code until}. */
  private static Optional<StepDefinition.Timer> timer(SuspendTaskRequest request, Instant now) {
    return switch (request.getTimeCase()) {
      case UNTIL -> {
        var until = Durations.decode(request.getUntil());
        if (until.isAfter(now.plus(StepDefinition.Timer.After.MAX))) {
          throw new InvalidFieldException("until", "is more than 365 days ahead");
        }
        yield Optional.of(new StepDefinition.Timer(new StepDefinition.Timer.At(until)));
      }
      case DURATION -> {
        var duration = Durations.decode(request.getDuration());
        yield Optional.of(new StepDefinition.Timer(new StepDefinition.Timer.After(duration)));
      }
      case TIME_NOT_SET -> Optional.empty();
    };
  }

  static Function<TaskClaim, ReleaseTask> release(ReleaseTaskRequest request) {
    var delay = Durations.decode(request.hasDelay(), request.getDelay(), ReleaseTask.DEFAULT_DELAY);
    var principal = CallerReader.principal();
    var reason = Payloads.decode(request.hasReason(), request.getReason());
    return claim -> new ReleaseTask(claim, delay, reason, principal);
  }

  static Function<TaskClaim, RecordStep> record(RecordStepRequest request) {
    var name = FieldReader.required("name", request.getName());
    var output = Payloads.decode(request.hasOutput(), request.getOutput());
    var consumed = List.copyOf(request.getConsumedSignalIdsList());
    if (output.isEmpty() && !consumed.isEmpty()) {
      throw new InvalidFieldException(CONSUMED, "is only allowed with an output");
    }
    var principal = CallerReader.principal();
    return claim -> new RecordStep(claim, name, output, consumed, principal);
  }

  static Function<TaskClaim, RecordParts> parts(RecordStepRequest request, RandomValues random) {
    if (!request.getName().isEmpty()
        || request.hasOutput()
        || request.getConsumedSignalIdsCount() > 0) {
      throw new InvalidFieldException(
          "parts", "cannot be sent together with name, output or " + CONSUMED);
    }
    var patch = Payloads.object("state_patch", request.hasStatePatch(), request.getStatePatch());
    if (patch.isPresent() && request.getPartsList().stream().noneMatch(PartRecord::hasOutput)) {
      throw new InvalidFieldException("state_patch", "is only allowed if a part has an output");
    }
    var parts = PartDecoding.reports(request.getPartsList(), patch, random);
    var principal = CallerReader.principal();
    return claim -> new RecordParts(claim, parts, principal);
  }

  static Optional<Duration> lease(HeartbeatTasksRequest request) {
    return Durations.decode(request.hasLease(), request.getLease());
  }

  /** Returns the details of each claim. */
  static IntFunction<Optional<Payload>> details(HeartbeatTasksRequest request) {
    var sent = request.getDetailsList();
    if (sent.isEmpty()) {
      return _ -> Optional.empty();
    }
    if (sent.size() != request.getClaimsCount()) {
      throw new InvalidFieldException(
          "details",
          String.format(
              Locale.ROOT,
              "must have none, or one for each of the %d claims (has %d)",
              request.getClaimsCount(),
              sent.size()));
    }
    var details = IntStream.range(0, sent.size()).mapToObj(i -> details(i, sent.get(i))).toList();
    return details::get;
  }

  private static Optional<Payload> details(int index, dev.hapax.v1.Payload sent) {
    var details = Payloads.decode(sent.getContentCase() != ContentCase.CONTENT_NOT_SET, sent);
    var size = details.map(Payload::size).orElse(0);
    if (size > HeartbeatTask.MAX_DETAILS) {
      throw new InvalidFieldException(
          String.format(Locale.ROOT, "details[%d]", index),
          String.format(
              Locale.ROOT,
              "has %d bytes; at most %d are allowed",
              size,
              HeartbeatTask.MAX_DETAILS));
    }
    return details;
  }

  static InvalidFieldException noSuchSignal(String signalId) {
    return noSuchSignal(CONSUMED, signalId);
  }

  /** The error of a field that names this signal. */
  static InvalidFieldException noSuchSignal(String field, String signalId) {
    return new InvalidFieldException(
        field, "has \"%s\", which the run has not received".formatted(signalId));
  }
}
