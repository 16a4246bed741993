package dev.hapax.client.claim;

import dev.hapax.client.HapaxException;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.ApplyLifecycleRequest;
import dev.hapax.v1.ApplyLifecycleResponse;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import java.util.stream.Stream;

/**
 * Applies lifecycles, and looks at them. Thread-safe. See {@link HapaxClient} for exceptions and
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
   * Lets entities follow a lifecycle from now on; every process may do so when it starts. The same
   * again changes nothing.
   *
   * @param json the lifecycle
   * @throws HapaxException.Refused with LIFECYCLE_INVALID, naming all that is wrong with it; with
   *     CLAIM_STATE_UNCOVERED if the janitor of its module is missing; with LIFECYCLE_IN_USE if
   *     entities are where it has no place for them
   */
  public ApplyLifecycleResponse apply(String json) {
    return apply(json, "");
  }

  /**
   * As {@link #apply(String)}.
   *
   * @param reason kept with the version; at most 255 characters
   */
  public ApplyLifecycleResponse apply(String json, String reason) {
    ApplyLifecycleRequest request =
        ApplyLifecycleRequest.newBuilder()
            .setWorkspace(workspace)
            .setJson(json)
            .setActor(actor)
            .setReason(KeyText.check("reason", reason))
            .build();
    return UnaryCalls.await(calls.send(LifecycleServiceGrpc.getApplyLifecycleMethod(), request));
  }

  /** What is wrong with a lifecycle, and what is perhaps not meant. Applies nothing. */
  public ValidateLifecycleResponse validate(String json) {
    ValidateLifecycleRequest request =
        ValidateLifecycleRequest.newBuilder().setWorkspace(workspace).setJson(json).build();
    return UnaryCalls.await(calls.send(LifecycleServiceGrpc.getValidateLifecycleMethod(), request));
  }

  /**
   * The lifecycle as it is applied now.
   *
   * @throws HapaxException.Refused with LIFECYCLE_NOT_FOUND
   */
  public Lifecycle get(String name) {
    GetLifecycleRequest request =
        GetLifecycleRequest.newBuilder().setWorkspace(workspace).setName(name).build();
    return UnaryCalls.await(calls.send(LifecycleServiceGrpc.getGetLifecycleMethod(), request))
        .getLifecycle();
  }

  /** All of them, by name and without their JSON, loaded as they are read. */
  public Stream<Lifecycle> list() {
    ListLifecyclesRequest request =
        ListLifecyclesRequest.newBuilder().setWorkspace(workspace).setPageSize(Pages.SIZE).build();
    return Pages.all(
        token ->
            UnaryCalls.await(
                calls.send(
                    LifecycleServiceGrpc.getListLifecyclesMethod(),
                    request.toBuilder().setPageToken(token).build())),
        ListLifecyclesResponse::getLifecyclesList,
        ListLifecyclesResponse::getNextPageToken);
  }
}
