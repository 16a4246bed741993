package dev.hapax.grpc.hook;

import dev.hapax.domain.hook.CreateHookOutcome;
import dev.hapax.domain.hook.DisposeHook;
import dev.hapax.domain.hook.DisposeHookOutcome;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.SignalHookOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.run.RunEncoding;
import dev.hapax.grpc.run.RunErrors;
import dev.hapax.grpc.run.RunSignals;
import dev.hapax.grpc.run.TaskEncoding;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.SignalHookResponse;
import dev.hapax.v1.WaitingRun;
import java.util.Optional;

/** Encodes hooks and the responses of HookService. */
final class HookEncoding {
  private HookEncoding() {}

  static dev.hapax.v1.Hook hook(HookId id, Hook hook, Run run) {
    var message =
        dev.hapax.v1.Hook.newBuilder()
            .setRunId(hook.run().text())
            .setStatus(RunEncoding.status(run.status()))
            .setCreatedAt(Durations.encode(hook.createdAt()))
            .setRetention(Durations.encode(hook.retention()))
            .setFingerprint(id.fingerprint().text())
            .setName(hook.name());
    hook.disposedAt().or(run::endedAt).map(Durations::encode).ifPresent(message::setEndedAt);
    return message.build();
  }

  static GetHookResponse found(HookId id, Optional<HookReads.Found> found) {
    var token = found.orElseThrow(RunErrors::hookNotFound);
    var response = GetHookResponse.newBuilder();
    token
        .owner()
        .ifPresent(
            owner ->
                response.setHook(
                    hook(id, token.hook(), owner).toBuilder().setWaiting(token.waiting())));
    for (var waiting : token.first()) {
      response.addWaiting(
          WaitingRun.newBuilder()
              .setRunId(waiting.run().text())
              .setSince(Durations.encode(waiting.since())));
    }
    return response.build();
  }

  static CreateHookResponse created(CreateHookDecoding request, CreateHookOutcome outcome) {
    var id = request.command().hook();
    var response = CreateHookResponse.newBuilder();
    return switch (outcome) {
      case CreateHookOutcome.Owned(var hook, var run, var from, var already) -> {
        from.ifPresent(left -> response.setSuperseded(left.id().text()));
        yield response.setHook(hook(id, hook, run)).setAlready(already).build();
      }
      case CreateHookOutcome.Conflict(var owner) ->
          response
              .setConflict(
                  Conflict.newBuilder()
                      .setRunId(owner.id().text())
                      .setStatus(RunEncoding.status(owner.status()))
                      .setEnded(owner.hasEnded()))
              .build();
      case CreateHookOutcome.Lost(var lost) ->
          response.setClaimLost(TaskEncoding.lost(lost)).build();
      case CreateHookOutcome.NotFound _ ->
          throw RunErrors.notFoundBy(request.command().run().text());
      case CreateHookOutcome.RunEnded(var run) -> throw RunErrors.ended(run.id(), run.status());
      case CreateHookOutcome.Blocked(var run) -> throw RunErrors.waits(run);
      case CreateHookOutcome.Full _ -> throw RunErrors.eventLimit();
    };
  }

  static SignalHookResponse signalled(SignalHookOutcome outcome) {
    return switch (outcome) {
      case SignalHookOutcome.Accepted(var owner, var disposition) ->
          SignalHookResponse.newBuilder()
              .setDisposition(RunSignals.disposition(disposition))
              .setRunId(owner.id().text())
              .build();
      case SignalHookOutcome.Full(_, var full) ->
          throw full.inbox() ? RunErrors.inboxFull() : RunErrors.eventLimit();
      case SignalHookOutcome.NotFound _ -> throw RunErrors.hookNotFound();
    };
  }

  static DisposeHookResponse disposed(DisposeHook command, DisposeHookOutcome outcome) {
    return switch (outcome) {
      case DisposeHookOutcome.Disposed(var hook, var run, var already) ->
          DisposeHookResponse.newBuilder()
              .setHook(hook(command.hook(), hook, run))
              .setAlready(already)
              .build();
      case DisposeHookOutcome.NotFound _ -> throw RunErrors.hookNotFound();
      case DisposeHookOutcome.Conflict(var owner) -> throw RunErrors.hookConflict(owner.id());
    };
  }
}
