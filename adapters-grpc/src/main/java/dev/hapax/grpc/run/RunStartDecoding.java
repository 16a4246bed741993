package dev.hapax.grpc.run;

import dev.hapax.application.hook.RunStartRequest;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.StartRunRequest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decodes StartRun requests.
 *
 * @param clock bounds {@code start_at}
 * @param random draws the ids of signals that have none
 */
record RunStartDecoding(InstantSource clock, RandomValues random) {
  private static final Payload NO_INPUT = new Payload.Json("{}");

  /**
   * Decodes a request to start a run in this workspace.
   *
   * @param trace the span of the start
   */
  RunStartRequest read(Workspace workspace, StartRunRequest request, Optional<TraceParent> trace) {
    var name = FieldReader.requiredName("definition", request.getDefinition());
    var version = FieldReader.optionalName("definition_version", request.getDefinitionVersion());
    var input = input(request);
    var allowsMismatch = allowsMismatch(request);
    StartFingerprint.check(request);
    var startAt = startAt(request);
    var labels = labels(request.getLabelsMap());
    var signal = signal(request);
    var hooks = StartTokens.read(workspace, request);
    var key = key(workspace, request, input, hooks, signal);
    var by = CallerReader.actor(request.getActor());
    return new RunStartRequest(
        new DefinitionName(workspace, name),
        version,
        input,
        labels,
        startAt,
        key,
        allowsMismatch,
        signal,
        hooks,
        trace,
        by);
  }

  static Payload input(StartRunRequest request) {
    return Payloads.read("input", request.hasInput(), request.getInput()).orElse(NO_INPUT);
  }

  private Optional<NewSignal> signal(StartRunRequest request) {
    return request.hasSignal()
        ? Optional.of(RunSignals.read(request.getSignal(), random))
        : Optional.empty();
  }

  private static Optional<StartRun.Key> key(
      Workspace workspace,
      StartRunRequest request,
      Payload input,
      List<Wanted> hooks,
      Optional<NewSignal> signal) {
    var retention =
        Durations.read(
            "key_retention",
            request.hasKeyRetention(),
            request.getKeyRetention(),
            StartRun.Key.DEFAULT_RETENTION,
            StepDefinition::requireWait);
    return FieldReader.optionalName("idempotency_key", request.getIdempotencyKey())
        .map(
            key ->
                new StartRun.Key(
                    RunKeyId.of(workspace, key),
                    StartFingerprint.of(request, input, hooks, signal),
                    retention));
  }

  private static boolean allowsMismatch(StartRunRequest request) {
    return switch (FieldReader.known(
        "on_key_mismatch", request.getOnKeyMismatchValue(), OnKeyMismatch::forNumber)) {
      case ON_KEY_MISMATCH_UNSPECIFIED, ON_KEY_MISMATCH_ERROR -> false;
      case ON_KEY_MISMATCH_RETURN_EXISTING -> true;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private Optional<Instant> startAt(StartRunRequest request) {
    if (!request.hasStartAt()) {
      return Optional.empty();
    }
    var startAt = Durations.read("start_at", request.getStartAt());
    if (startAt.isAfter(clock.instant().plus(StartRun.MAX_DELAY))) {
      throw new InvalidFieldException("start_at", "is more than 365 days ahead");
    }
    return Optional.of(startAt);
  }

  static Map<String, String> labels(Map<String, String> sent) {
    return FieldReader.read(
        "labels",
        sent,
        labels -> {
          try {
            return RunOrigin.requireLabels(labels);
          } catch (InvalidValueException e) {
            throw new InvalidValueException(
                labels.size() > RunOrigin.MAX_LABELS
                    ? e.rule()
                    : "has a key or a value that " + e.rule());
          }
        });
  }
}
