package dev.hapax.grpc.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.QueueFull;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/** Decodes the tokens of a start and their conflict policies. */
final class StartTokens {
  private StartTokens() {}

  static List<Wanted> read(Workspace workspace, StartRunRequest request) {
    var sent = request.getHooksList();
    var wanted = new ArrayList<Wanted>(sent.size());
    var tokens = new HashSet<HookId>();
    for (var i = 0; i < sent.size(); i++) {
      var path = String.format(Locale.ROOT, "hooks[%d].", i);
      var token = wanted(workspace, path, sent.get(i), request.hasSignal());
      if (!tokens.add(token.hook())) {
        throw new InvalidFieldException(path + "token", "is a duplicate; name each token once");
      }
      if (i > 0 && isQueue(token) != isQueue(wanted.getFirst())) {
        throw new InvalidFieldException(
            path + "on_conflict", "must be QUEUE for all hooks of a start, or for none");
      }
      wanted.add(token);
    }
    return wanted;
  }

  private static boolean isQueue(Wanted token) {
    return token.onConflict() instanceof ConflictPolicy.Queue;
  }

  private static Wanted wanted(
      Workspace workspace, String path, StartRunRequest.Hook hook, boolean hasSignal) {
    return new Wanted(
        HookId.of(workspace, hook.getToken()),
        hook.getName(),
        Durations.decode(hook.hasRetention(), hook.getRetention(), Duration.ZERO),
        onConflict(workspace, path, hook, hasSignal));
  }

  private static ConflictPolicy onConflict(
      Workspace workspace, String path, StartRunRequest.Hook hook, boolean hasSignal) {
    var onConflict = hook.getOnConflict();
    var expected =
        RunIds.expectedOwner(
            path + "expected_owner", workspace, hook.getExpectedOwner(), onConflict);
    if (onConflict != OnConflict.ON_CONFLICT_QUEUE) {
      requireNoQueue(path, hook);
    }
    return switch (onConflict) {
      case ON_CONFLICT_UNSPECIFIED, ON_CONFLICT_REJECT -> new ConflictPolicy.Reject();
      case ON_CONFLICT_USE_EXISTING -> new ConflictPolicy.UseExisting();
      case ON_CONFLICT_SIGNAL_EXISTING -> signalExisting(hasSignal);
      case ON_CONFLICT_SUPERSEDE -> new ConflictPolicy.Supersede(expected);
      case ON_CONFLICT_QUEUE -> queue(path, hook);
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private static void requireNoQueue(String path, StartRunRequest.Hook hook) {
    if (hook.getQueueLimit() != 0) {
      throw new InvalidFieldException(path + "queue_limit", "is only allowed with QUEUE");
    }
    if (hook.getQueueFull() != QueueFull.QUEUE_FULL_UNSPECIFIED) {
      throw new InvalidFieldException(path + "queue_full", "is only allowed with QUEUE");
    }
  }

  private static ConflictPolicy queue(String path, StartRunRequest.Hook hook) {
    var limit =
        hook.getQueueLimit() == 0 ? ConflictPolicy.Queue.DEFAULT_LIMIT : hook.getQueueLimit();
    return switch (hook.getQueueFull()) {
      case QUEUE_FULL_UNSPECIFIED, QUEUE_FULL_REJECT -> new ConflictPolicy.Queue(limit, false);
      case QUEUE_FULL_SUPERSEDE -> {
        if (limit != 1) {
          throw new InvalidFieldException(
              path + "queue_full", "SUPERSEDE is only allowed with a queue_limit of 1");
        }
        yield new ConflictPolicy.Queue(limit, true);
      }
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private static ConflictPolicy signalExisting(boolean hasSignal) {
    if (!hasSignal) {
      throw new InvalidFieldException("signal", "is required for SIGNAL_EXISTING");
    }
    return new ConflictPolicy.SignalExisting();
  }
}
