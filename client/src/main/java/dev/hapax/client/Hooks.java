package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.Hook;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import org.jspecify.annotations.Nullable;

/**
 * Reaches runs by their tokens. Thread-safe.
 *
 * <pre>{@code
 * hapax.hooks().signal("order/4711", "confirmation", true);
 * }</pre>
 *
 * <p>See {@link Hapax} for exceptions and retries. A token without an owner is refused with
 * HOOK_NOT_FOUND.
 */
public final class Hooks {

  private final Connection connection;

  Hooks(Connection connection) {
    this.connection = connection;
  }

  /** Gives an existing run the token. */
  public HookAnswer create(String runId, HookRequest hook) {
    CreateHookRequest request =
        CreateHookRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setRunId(runId)
            .setToken(hook.token())
            .setName(hook.name())
            .setRetention(ProtoTimes.toProto(hook.retention()))
            .setOnConflict(hook.onConflict())
            .setExpectedOwner(hook.expectedOwner())
            .setActor(connection.actor())
            .build();
    return new HookAnswer(connection.call(request, CreateHookResponse.getDefaultInstance()));
  }

  /**
   * Sends a signal to the run that owns the token. It stays in the inbox of the run until a step
   * consumes it. Vercel's Workflow calls this resuming a hook.
   *
   * @param type selects the steps of the run that receive it, at most 255 characters; may be empty
   * @param payload a {@link Value}, or anything with a JSON; at most 256 KiB; null = none
   * @return UNRECOGNIZED if Hapax is newer than this client; the run has the signal then, too
   */
  public SignalDisposition signal(String token, String type, @Nullable Object payload) {
    return signal(token, SignalRequest.of(type).payload(payload));
  }

  /**
   * As {@link #signal(String, String, Object)}.
   *
   * @param signalId unique in the run, at most 255 characters: signals with the same id count once
   */
  public SignalDisposition signal(
      String token, String type, @Nullable Object payload, String signalId) {
    return signal(token, SignalRequest.of(type).payload(payload).id(signalId));
  }

  private SignalDisposition signal(String token, SignalRequest signal) {
    SignalHookRequest request =
        SignalHookRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setToken(token)
            .setSignal(signal.message(connection))
            .setActor(connection.actor())
            .build();
    return connection.call(request, SignalHookResponse.getDefaultInstance()).getDisposition();
  }

  /**
   * Returns the run that owns the token, or has ended and keeps it; if there is none, the first run
   * that waits for the token.
   */
  public Owner get(String token) {
    GetHookRequest request =
        GetHookRequest.newBuilder().setWorkspace(connection.workspace()).setToken(token).build();
    GetHookResponse response = connection.call(request, GetHookResponse.getDefaultInstance());
    if (!response.hasHook() && response.getWaitingCount() > 0) {
      return new Owner(response.getWaiting(0).getRunId(), RunStatus.RUN_STATUS_PENDING, false);
    }
    Hook hook = response.getHook();
    return Owner.of(hook.getRunId(), hook.getStatus(), hook.hasEndedAt());
  }

  /** As {@link #dispose(String, String, String)}, without a reason. */
  public boolean dispose(String token, String runId) {
    return dispose(token, runId, "");
  }

  /**
   * Frees the token, if this run owns it.
   *
   * @param reason for the history of the run, at most 255 characters
   * @return false if it was freed before, so that nothing was changed
   */
  public boolean dispose(String token, String runId, String reason) {
    DisposeHookRequest request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setToken(token)
            .setRunId(runId)
            .setReason(KeyText.check("reason", reason))
            .setActor(connection.actor())
            .build();
    return !connection.call(request, DisposeHookResponse.getDefaultInstance()).getAlready();
  }
}
