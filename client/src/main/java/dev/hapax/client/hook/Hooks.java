package dev.hapax.client.hook;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.RunSignal;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.DrawnIds;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.HookRpcs;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.Hook;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;

/**
 * Reaches runs by their tokens. Thread-safe; one per process is enough.
 *
 * <pre>{@code
 * Hooks hooks = hapax.hooks();
 * hooks.signal("order/4711", RunSignal.of("confirmation").withPayload(PayloadCodec.json(), "true"));
 * }</pre>
 *
 * <p>See {@link HapaxClient} for exceptions and retries. A token without an owner is rejected with
 * HOOK_NOT_FOUND.
 */
public final class Hooks {

  private final UnaryCalls calls;
  private final String workspace;
  private final String actor;

  /** Internal; see {@link HapaxClient#hooks}. */
  public Hooks(ClientConnection connection) {
    this.calls = connection.unaryCalls();
    this.workspace = connection.options().workspace();
    this.actor = connection.options().actor();
  }

  /** Gives an existing run the token. */
  public HookAnswer create(String runId, HookRequest hook) {
    CreateHookRequest request =
        CreateHookRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setToken(hook.token())
            .setName(hook.name())
            .setRetention(ProtoTimes.toProto(hook.retention()))
            .setOnConflict(hook.onConflict())
            .setExpectedOwner(hook.expectedOwner())
            .setActor(actor)
            .build();
    return HookAnswer.fromProto(UnaryCalls.await(calls.send(HookRpcs.CREATE_HOOK, request)));
  }

  /**
   * Sends a signal to the run that owns the token. It stays in the inbox of the run until a step
   * consumes it. Vercel's Workflow calls this resuming a hook.
   *
   * @return the disposition of the signal, and the owner
   */
  public SignalHookResponse signal(String token, RunSignal signal) {
    SignalHookRequest request =
        SignalHookRequest.newBuilder()
            .setWorkspace(workspace)
            .setToken(token)
            .setSignal(DrawnIds.withId(signal.toProto()))
            .setActor(actor)
            .build();
    return UnaryCalls.await(calls.send(HookRpcs.SIGNAL_HOOK, request));
  }

  /** Returns the token with its owner. */
  public Hook get(String token) {
    GetHookRequest request =
        GetHookRequest.newBuilder().setWorkspace(workspace).setToken(token).build();
    return UnaryCalls.await(calls.send(HookRpcs.GET_HOOK, request)).getHook();
  }

  /**
   * Frees the token, if this run owns it. A token that was freed before is returned unchanged, with
   * {@code already}.
   */
  public DisposeHookResponse dispose(String token, String runId) {
    return dispose(token, runId, "");
  }

  /** Frees the token, and stores the reason in the history of its run. */
  public DisposeHookResponse dispose(String token, String runId, String reason) {
    DisposeHookRequest request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(workspace)
            .setToken(token)
            .setRunId(runId)
            .setReason(reason)
            .setActor(actor)
            .build();
    return UnaryCalls.await(calls.send(HookRpcs.DISPOSE_HOOK, request));
  }
}
