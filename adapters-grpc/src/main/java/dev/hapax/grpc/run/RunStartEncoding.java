package dev.hapax.grpc.run;

import dev.hapax.application.hook.AwaitedStart;
import dev.hapax.application.hook.RunStartResult;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.util.function.Function;

/** Encodes the responses to StartRun. */
final class RunStartEncoding {
  private RunStartEncoding() {}

  /** Encodes the result of a start, with the run at the end of the wait, or throws its error. */
  static StartRunResponse response(StartRunRequest request, AwaitedStart start) {
    var response = response(request, start.result(), RunEncoding::run);
    return start.run().map(run -> response(response, run)).orElse(response);
  }

  private static StartRunResponse response(StartRunResponse started, Run run) {
    var response = started.toBuilder().setRun(RunEncoding.run(run));
    if (response.getOwner().getRunId().equals(run.id().text())) {
      response.setOwner(owner(run));
    }
    return response.build();
  }

  /**
   * Encodes a result, or throws its error.
   *
   * @param encode encodes the run
   */
  static StartRunResponse response(
      StartRunRequest request, RunStartResult result, Function<Run, dev.hapax.v1.Run> encode) {
    return switch (result) {
      case RunStartResult.Created(var run) ->
          created(Disposition.DISPOSITION_CREATED, run, encode).build();
      case RunStartResult.Restarted(var run, var from) ->
          created(Disposition.DISPOSITION_CREATED, run, encode)
              .addSupersededRunIds(from.id().text())
              .build();
      case RunStartResult.Superseded(var run, var superseded) ->
          created(Disposition.DISPOSITION_SUPERSEDED, run, encode)
              .setOwner(owner(superseded.getFirst()))
              .addAllSupersededRunIds(superseded.stream().map(each -> each.id().text()).toList())
              .build();
      case RunStartResult.Queued(var run, var ahead, var superseded) ->
          created(Disposition.DISPOSITION_QUEUED, run, encode)
              .setRunsAhead(ahead)
              .addAllSupersededRunIds(superseded.stream().map(each -> each.id().text()).toList())
              .build();
      case RunStartResult.Existing(var run) ->
          response(Disposition.DISPOSITION_EXISTING).setRun(encode.apply(run)).build();
      case RunStartResult.Rejected(var owner) ->
          response(Disposition.DISPOSITION_REJECTED).setOwner(owner(owner)).build();
      case RunStartResult.UsedExisting(var owner) ->
          response(Disposition.DISPOSITION_USED_EXISTING)
              .setRun(encode.apply(owner))
              .setOwner(owner(owner))
              .build();
      case RunStartResult.Signalled(var owner, var disposition) ->
          response(Disposition.DISPOSITION_SIGNALED)
              .setRun(encode.apply(owner))
              .setOwner(owner(owner))
              .setSignalDisposition(RunSignals.disposition(disposition))
              .build();
      case RunStartResult.SignalRefused(var full) ->
          throw full.inbox() ? RunErrors.inboxFull() : RunErrors.eventLimit();
      case RunStartResult.KeyReused reused ->
          throw RunErrors.keyReused(
              reused.run(),
              StartFingerprint.mismatches(request, RunStartDecoding.input(request), reused));
      case RunStartResult.TokensRefused() ->
          throw new InvalidFieldException(
              "hooks",
              "must be empty: the definition has limits, and its runs start without tokens");
      case RunStartResult.RunNotFound _ -> throw RunErrors.notFound();
      case RunStartResult.DefinitionNotFound(var name, var version) ->
          throw DefinitionGrpc.notFound(name.name(), version.orElse(""));
    };
  }

  private static StartRunResponse.Builder created(
      Disposition disposition, Run run, Function<Run, dev.hapax.v1.Run> encode) {
    var response = response(disposition).setCreated(true).setRun(encode.apply(run));
    StartOutcome.signalTo(run)
        .map(RunSignals::disposition)
        .ifPresent(response::setSignalDisposition);
    return response;
  }

  private static StartRunResponse.Builder response(Disposition disposition) {
    return StartRunResponse.newBuilder().setDisposition(disposition);
  }

  private static StartRunResponse.Owner owner(Run owner) {
    return StartRunResponse.Owner.newBuilder()
        .setRunId(owner.id().text())
        .setStatus(RunEncoding.status(owner.status()))
        .build();
  }
}
