package dev.hapax.client.claim;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.LifecycleRpcs;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Applies, validates and reads lifecycles. Thread-safe. See {@link HapaxClient} for exceptions and
 * retries.
 */
public final class Lifecycles {

  private final UnaryCalls calls;
  private final String workspace;
  private final String actor;

  /** Internal; see {@link HapaxClient#lifecycles}. */
  public Lifecycles(ClientConnection connection) {
    this.calls = connection.unaryCalls();
    this.workspace = connection.options().workspace();
    this.actor = connection.options().actor();
  }

  /**
   * Applies a lifecycle: entities follow it from now on. Every process may do so at its start. The
   * same lifecycle again changes nothing.
   *
   * @param json the lifecycle
   * @throws HapaxException.Refused with LIFECYCLE_INVALID and all its errors; with
   *     CLAIM_STATE_UNCOVERED if the module has no janitor for a claim state; with LIFECYCLE_IN_USE
   *     if entities have a status that it lacks
   */
  public ApplyLifecyclesResponse apply(String json) {
    return apply(List.of(json), List.of(), "");
  }

  /**
   * Applies lifecycles and declares the contracts of their janitors, all or none. A claim state can
   * be renamed together with its contract.
   *
   * @param reason recorded with versions and contracts; at most 255 characters, may be empty
   * @throws HapaxException.Refused as {@link #apply(String)}
   */
  public ApplyLifecyclesResponse apply(
      Collection<String> lifecycles, Collection<JanitorTerms> janitors, String reason) {
    ApplyLifecyclesRequest request =
        ApplyLifecyclesRequest.newBuilder()
            .setWorkspace(workspace)
            .addAllLifecycles(lifecycles)
            .addAllJanitors(janitors.stream().map(JanitorTerms::toProto).toList())
            .setActor(actor)
            .setReason(KeyText.check("reason", reason))
            .build();
    return UnaryCalls.await(calls.send(LifecycleRpcs.APPLY_LIFECYCLES, request));
  }

  /** Returns the errors and warnings of a lifecycle. Applies nothing. */
  public ValidateLifecycleResponse validate(String json) {
    ValidateLifecycleRequest request =
        ValidateLifecycleRequest.newBuilder().setWorkspace(workspace).setJson(json).build();
    return UnaryCalls.await(calls.send(LifecycleRpcs.VALIDATE_LIFECYCLE, request));
  }

  /**
   * Returns the applied lifecycle.
   *
   * @throws HapaxException.Refused with LIFECYCLE_NOT_FOUND
   */
  public Lifecycle get(String name) {
    GetLifecycleRequest request =
        GetLifecycleRequest.newBuilder().setWorkspace(workspace).setName(name).build();
    return UnaryCalls.await(calls.send(LifecycleRpcs.GET_LIFECYCLE, request)).getLifecycle();
  }

  /** Lists the lifecycles by name and without their JSON, loaded as they are read. */
  public Stream<Lifecycle> list() {
    ListLifecyclesRequest request =
        ListLifecyclesRequest.newBuilder().setWorkspace(workspace).setPageSize(Pages.SIZE).build();
    return Pages.all(
        token ->
            UnaryCalls.await(
                calls.send(
                    LifecycleRpcs.LIST_LIFECYCLES,
                    request.toBuilder().setPageToken(token).build())),
        ListLifecyclesResponse::getLifecyclesList,
        ListLifecyclesResponse::getNextPageToken);
  }
}
