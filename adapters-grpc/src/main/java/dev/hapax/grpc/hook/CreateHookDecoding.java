package dev.hapax.grpc.hook;

import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.CreateHook;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.run.RunIds;
import dev.hapax.grpc.run.TaskClaims;
import dev.hapax.v1.CreateHookRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * A decoded CreateHook request.
 *
 * @param hasForeignClaim whether its claim was never a grant of the run
 */
record CreateHookDecoding(CreateHook command, boolean hasForeignClaim) {

  static CreateHookDecoding read(CreateHookRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var run = RunIds.read(workspace, request.getRunId());
    Optional<TaskClaim> claim =
        request.hasClaim()
            ? TaskClaims.read("claim", workspace.name(), request.getClaim())
                .found()
                .filter(sent -> sent.run().equals(run))
            : Optional.empty();
    var command =
        new CreateHook(
            run,
            claim,
            HookGrpc.hook(request.getWorkspace(), request.getToken()),
            request.getName(),
            Durations.decode(request.hasRetention(), request.getRetention(), Duration.ZERO),
            supersede(request, run),
            CallerReader.actor(request.getActor()));
    return new CreateHookDecoding(command, request.hasClaim() && claim.isEmpty());
  }

  private static Optional<ConflictPolicy.Supersede> supersede(
      CreateHookRequest request, RunId run) {
    var policy = request.getOnConflict();
    var expected =
        RunIds.expectedOwner("expected_owner", run.workspace(), request.getExpectedOwner(), policy);
    return switch (policy) {
      case ON_CONFLICT_UNSPECIFIED, ON_CONFLICT_REJECT -> Optional.empty();
      case ON_CONFLICT_SUPERSEDE -> Optional.of(new ConflictPolicy.Supersede(expected));
      case ON_CONFLICT_USE_EXISTING, ON_CONFLICT_SIGNAL_EXISTING, ON_CONFLICT_QUEUE ->
          throw new InvalidFieldException(
              "on_conflict",
              "must be REJECT or SUPERSEDE, since the run that creates the hook exists already");
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }
}
