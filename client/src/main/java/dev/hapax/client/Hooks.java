package dev.hapax.client;

import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.Hook;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.ResumeHookRequest;
import dev.hapax.v1.ResumeHookResponse;
import io.grpc.Channel;
import java.util.Optional;
import java.util.UUID;

/**
 * Reaches runs by their tokens. Thread-safe; one per process is enough.
 *
 * <pre>{@code
 * Hooks hooks = Hooks.on(channel);
 * hooks.resume("order/4711", RunSignal.of("confirmation").withPayload(Codec.json(), "true"));
 * }</pre>
 *
 * <p>Calls are sent again after a lost answer. They throw {@link HapaxException.Unavailable} and
 * {@link HapaxException.Refused} as {@link Runs} does; a token that nobody owns is refused with
 * HOOK_NOT_FOUND.
 */
public final class Hooks {

  private final Calls calls;
  private final String workspace;
  private final String actor;

  Hooks(Calls calls, String workspace, String actor) {
    this.calls = calls;
    this.workspace = workspace;
    this.actor = actor;
  }

  /** With every default; {@link RunsBuilder#hooks} has settings. */
  public static Hooks on(Channel channel) {
    return Runs.newBuilder(channel).hooks();
  }

  /**
   * Gives a run that exists the token.
   *
   * @return who owns it instead; empty = it is the run's, now or since it asked before
   */
  public Optional<HookOwner> create(String runId, HookRequest hook) {
    CreateHookRequest request =
        CreateHookRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setToken(hook.token())
            .setRetention(WireTimes.toProto(hook.retention()))
            .setOnConflict(hook.onConflict())
            .setExpectedOwner(hook.expectedOwner())
            .setActor(actor)
            .build();
    CreateHookResponse response =
        Calls.await(calls.send(HookServiceGrpc.getCreateHookMethod(), request));
    return response.hasConflict()
        ? Optional.of(HookOwner.of(response.getConflict()))
        : Optional.empty();
  }

  /** Puts a signal into the inbox of whichever run owns the token. */
  public HookDelivery resume(String token, RunSignal signal) {
    var wired = signal.wire();
    ResumeHookRequest.Builder request =
        ResumeHookRequest.newBuilder()
            .setWorkspace(workspace)
            .setToken(token)
            .setSignalId(
                wired.getSignalId().isEmpty() ? UUID.randomUUID().toString() : wired.getSignalId())
            .setType(wired.getType())
            .setActor(actor);
    if (wired.hasPayload()) {
      request.setPayload(wired.getPayload());
    }
    ResumeHookResponse response =
        Calls.await(calls.send(HookServiceGrpc.getResumeHookMethod(), request.build()));
    return switch (response.getOutcomeCase()) {
      case DELIVERED ->
          new HookDelivery(response.getDelivered().getRunId(), SignalDelivery.DELIVERED);
      case DUPLICATE ->
          new HookDelivery(response.getDuplicate().getRunId(), SignalDelivery.DUPLICATE);
      case BUFFERED, OUTCOME_NOT_SET ->
          new HookDelivery(response.getBuffered().getRunId(), SignalDelivery.BUFFERED);
    };
  }

  /** Who owns the token. */
  public Hook get(String token) {
    GetHookRequest request =
        GetHookRequest.newBuilder().setWorkspace(workspace).setToken(token).build();
    return Calls.await(calls.send(HookServiceGrpc.getGetHookMethod(), request)).getHook();
  }

  /** Frees the token, if this run owns it. */
  public Hook dispose(String token, String runId) {
    DisposeHookRequest request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(workspace)
            .setToken(token)
            .setRunId(runId)
            .setActor(actor)
            .build();
    return Calls.await(calls.send(HookServiceGrpc.getDisposeHookMethod(), request)).getHook();
  }
}
