package dev.hapax.grpc.run;

import dev.hapax.application.hook.RunStartRequest;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.StartRunRequest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
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
    var name = request.getDefinition();
    var version = FieldReader.optional(request.getDefinitionVersion());
    var input = input(request);
    var startAt = startAt(request);
    var timeouts =
        new RunTimeouts(
            Durations.decode(request.hasStartTimeout(), request.getStartTimeout()),
            Durations.decode(request.hasTimeout(), request.getTimeout()));
    var parameters = new RunParameters(input, request.getLabelsMap(), trace, timeouts);
    var signal = signal(request);
    var hooks = StartTokens.read(workspace, request);
    var key = key(workspace, request, input, hooks, signal);
    var by = CallerReader.actor(request.getActor());
    return new RunStartRequest(
        new DefinitionName(workspace, name), version, parameters, startAt, key, signal, hooks, by);
  }

  static Payload input(StartRunRequest request) {
    return Payloads.decode(request.hasInput(), request.getInput()).orElse(NO_INPUT);
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
    var onMismatch = onMismatch(request);
    var retention =
        Durations.decode(
            request.hasKeyRetention(), request.getKeyRetention(), StartRun.Key.DEFAULT_RETENTION);
    return FieldReader.optional(request.getIdempotencyKey())
        .map(
            key ->
                new StartRun.Key(
                    RunKeyId.of(workspace, key),
                    StartFingerprint.of(request, input, hooks, signal),
                    retention,
                    onMismatch));
  }

  private static OnKeyMismatch onMismatch(StartRunRequest request) {
    return switch (request.getOnKeyMismatch()) {
      case ON_KEY_MISMATCH_UNSPECIFIED, ON_KEY_MISMATCH_ERROR -> OnKeyMismatch.ERROR;
      case ON_KEY_MISMATCH_RETURN_EXISTING -> OnKeyMismatch.RETURN_EXISTING;
      case ON_KEY_MISMATCH_RESTART_FAILED -> {
        if (request.getIdempotencyKey().isEmpty()) {
          throw new InvalidFieldException(
              "on_key_mismatch", "must not be RESTART_FAILED without an idempotency_key");
        }
        yield OnKeyMismatch.RESTART_FAILED;
      }
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private Optional<Instant> startAt(StartRunRequest request) {
    if (!request.hasStartAt()) {
      return Optional.empty();
    }
    var startAt = Durations.decode(request.getStartAt());
    if (startAt.isAfter(clock.instant().plus(StartRun.MAX_DELAY))) {
      throw new InvalidFieldException("start_at", "is more than 365 days ahead");
    }
    return Optional.of(startAt);
  }
}
