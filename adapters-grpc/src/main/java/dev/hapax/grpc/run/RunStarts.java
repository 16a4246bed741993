package dev.hapax.grpc.run;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.hook.StartRunWithHook;
import dev.hapax.domain.hook.StartRunWithHook.Wanted;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** StartRun on the wire. */
final class RunStarts {
  private static final Payload NO_INPUT = new Payload.Json("{}");
  private static final Duration FARTHEST_START = Duration.ofDays(365);

  private final Definitions definitions;
  private final Runs runs;
  private final Hooks hooks;
  private final InstantSource clock;

  RunStarts(Definitions definitions, Runs runs, Hooks hooks, InstantSource clock) {
    this.definitions = definitions;
    this.runs = runs;
    this.hooks = hooks;
    this.clock = clock;
  }

  /** What StartRun answers, its run encoded like this. */
  CompletableFuture<StartRunResponse> start(
      Workspace workspace, StartRunRequest request, Function<Run, dev.hapax.v1.Run> encode) {
    var name = FieldReader.requiredName("definition", request.getDefinition());
    var version = FieldReader.optionalName("definition_version", request.getDefinitionVersion());
    var input = Payloads.read("input", request.hasInput(), request.getInput()).orElse(NO_INPUT);
    var ignoresMismatch = ignoresMismatch(request);
    StartFingerprint.check(request);
    var startAt = startAt(request);
    var labels = labels(request.getLabelsMap());
    var signal = signal(request);
    var key = key(workspace, request, input, signal);
    var by = Actor.caller(FieldReader.name("actor", request.getActor()));
    var tokens = StartTokens.read(workspace, request);
    var unversioned = new DefinitionName(workspace, name);
    return version
        .map(v -> definitions.find(unversioned.version(v)))
        .orElseGet(() -> definitions.guessLatest(unversioned))
        .thenApply(found -> DefinitionGrpc.required(found, name, version.orElse("")))
        .thenCompose(
            definition ->
                start(
                    new StartRun(
                        new RunId(workspace, runs.draw()),
                        definition,
                        version.isEmpty(),
                        input,
                        labels,
                        startAt,
                        key,
                        signal,
                        by),
                    tokens))
        .thenCompose(
            outcome ->
                outcome instanceof StartOutcome.KeyReused(var run) && !ignoresMismatch
                    ? keyReused(request, input, run)
                    : response(outcome, encode));
  }

  private CompletableFuture<StartOutcome> start(StartRun command, List<Wanted> tokens) {
    var outcome =
        tokens.isEmpty() ? runs.start(command) : hooks.start(new StartRunWithHook(command, tokens));
    return outcome.thenCompose(
        decided ->
            decided instanceof StartOutcome.DefinitionOutdated(var latest)
                ? startLatest(command, latest, tokens)
                : CompletableFuture.completedFuture(decided));
  }

  /** The version that this node took for the latest was not, so the decision named the latest. */
  private CompletableFuture<StartOutcome> startLatest(
      StartRun command, Optional<DefinitionId> latest, List<Wanted> tokens) {
    var name = command.definition().id().withoutVersion();
    return definitions
        .correctLatest(name, latest)
        .thenApply(found -> DefinitionGrpc.required(found, name.name(), ""))
        .thenCompose(definition -> start(command.ofLatest(definition), tokens));
  }

  private CompletableFuture<StartRunResponse> response(
      StartOutcome outcome, Function<Run, dev.hapax.v1.Run> encode) {
    return switch (outcome) {
      case StartOutcome.Existing(var run) -> existing(run, encode);
      case StartOutcome.KeyReused(var run) -> existing(run, encode);
      case StartOutcome.Created(var run) ->
          answer(Disposition.DISPOSITION_CREATED, Optional.of(run), Optional.empty(), encode);
      case StartOutcome.Rejected(var owner) ->
          answer(Disposition.DISPOSITION_REJECTED, Optional.empty(), Optional.of(owner), encode);
      case StartOutcome.UsedExisting(var owner) ->
          answer(
              Disposition.DISPOSITION_USED_EXISTING,
              Optional.of(owner),
              Optional.of(owner),
              encode);
      case StartOutcome.Signalled(var owner, var disposition) ->
          answer(Disposition.DISPOSITION_SIGNALED, Optional.of(owner), Optional.of(owner), encode)
              .thenApply(
                  answer ->
                      answer.toBuilder()
                          .setSignalDisposition(RunSignals.disposition(disposition))
                          .build());
      case StartOutcome.Superseded(var run, var from) ->
          answer(
                  Disposition.DISPOSITION_SUPERSEDED,
                  Optional.of(run),
                  Optional.of(from.getFirst()),
                  encode)
              .thenApply(
                  answer ->
                      answer.toBuilder()
                          .addAllSupersededRunIds(
                              from.stream().map(left -> left.id().text()).toList())
                          .build());
      case StartOutcome.SignalRefused(_, var full) ->
          throw full.inbox() ? RunErrors.inboxFull() : RunErrors.eventLimit();
      case StartOutcome.DefinitionOutdated _ -> throw new IllegalStateException("decided before");
    };
  }

  private CompletableFuture<StartRunResponse> keyReused(
      StartRunRequest request, Payload input, RunId run) {
    return runs.find(run)
        .thenCompose(
            found ->
                CompletableFuture.failedFuture(
                    RunErrors.keyReused(
                        run,
                        found
                            .map(other -> StartFingerprint.mismatches(request, input, other))
                            .orElse(List.of()))));
  }

  private static CompletableFuture<StartRunResponse> answer(
      Disposition disposition,
      Optional<Run> run,
      Optional<Run> owner,
      Function<Run, dev.hapax.v1.Run> encode) {
    var response =
        StartRunResponse.newBuilder()
            .setDisposition(disposition)
            .setCreated(
                disposition == Disposition.DISPOSITION_CREATED
                    || disposition == Disposition.DISPOSITION_SUPERSEDED);
    run.map(encode).ifPresent(response::setRun);
    owner.ifPresent(
        other ->
            response.setOwner(
                StartRunResponse.Owner.newBuilder()
                    .setRunId(other.id().text())
                    .setStatus(RunEncoding.status(other.status()))));
    return CompletableFuture.completedFuture(response.build());
  }

  private static Optional<NewSignal> signal(StartRunRequest request) {
    return request.hasSignal()
        ? Optional.of(RunSignals.read(request.getSignal()))
        : Optional.empty();
  }

  private static Optional<StartRun.Key> key(
      Workspace workspace, StartRunRequest request, Payload input, Optional<NewSignal> signal) {
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
                    StartFingerprint.of(request, input, signal),
                    retention));
  }

  private static boolean ignoresMismatch(StartRunRequest request) {
    return switch (FieldReader.known(
        "on_key_mismatch", request.getOnKeyMismatchValue(), OnKeyMismatch::forNumber)) {
      case ON_KEY_MISMATCH_UNSPECIFIED, ON_KEY_MISMATCH_ERROR -> false;
      case ON_KEY_MISMATCH_RETURN_EXISTING -> true;
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  private Optional<Instant> startAt(StartRunRequest request) {
    if (!request.hasStartAt()) {
      return Optional.empty();
    }
    var startAt = Durations.read("start_at", request.getStartAt());
    if (startAt.isAfter(clock.instant().plus(FARTHEST_START))) {
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

  private CompletableFuture<StartRunResponse> existing(
      RunId run, Function<Run, dev.hapax.v1.Run> encode) {
    return runs.find(run)
        .thenApply(
            found ->
                StartRunResponse.newBuilder()
                    .setRun(encode.apply(RunErrors.required(found)))
                    .setDisposition(Disposition.DISPOSITION_EXISTING)
                    .build());
  }
}
