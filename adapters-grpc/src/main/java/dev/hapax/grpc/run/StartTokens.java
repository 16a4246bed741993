package dev.hapax.grpc.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartOwner;
import dev.hapax.domain.run.StartRun;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.util.Optional;

/** The token that a start wants, and what to do when it has an owner. */
record StartTokens(HookId hook, Duration retention, ConflictPolicy onConflict) {

  static Optional<StartTokens> read(Workspace workspace, StartRunRequest request) {
    var onConflict =
        Fields.known("on_conflict", request.getOnConflictValue(), OnConflict::forNumber);
    var expected = RunIds.expectedOwner(workspace, request.getExpectedOwner(), onConflict);
    if (!request.hasHook()) {
      if (onConflict != OnConflict.ON_CONFLICT_UNSPECIFIED) {
        throw new InvalidFieldException("on_conflict", "is only for a start with a hook");
      }
      return Optional.empty();
    }
    var policy =
        switch (onConflict) {
          case ON_CONFLICT_UNSPECIFIED, ON_CONFLICT_REJECT -> new ConflictPolicy.Reject();
          case ON_CONFLICT_USE_EXISTING -> new ConflictPolicy.UseExisting();
          case ON_CONFLICT_SIGNAL_EXISTING -> signalExisting(request);
          case ON_CONFLICT_SUPERSEDE -> new ConflictPolicy.Supersede(expected);
          case UNRECOGNIZED -> throw new IllegalStateException("refused before");
        };
    return Optional.of(
        new StartTokens(
            Fields.read(
                "hook.token", request.getHook().getToken(), token -> HookId.of(workspace, token)),
            Durations.read(
                "hook.retention",
                request.getHook().hasRetention(),
                request.getHook().getRetention(),
                Duration.ZERO,
                Hook::requireRetention),
            policy));
  }

  private static ConflictPolicy signalExisting(StartRunRequest request) {
    if (!request.hasSignal()) {
      throw new InvalidFieldException("signal", "is required by SIGNAL_EXISTING");
    }
    return new ConflictPolicy.SignalExisting();
  }

  StartOwner ownedBy(StartRun start) {
    return new StartOwner(start, hook, retention, onConflict);
  }
}
