package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Applies and reads lifecycles, and declares the janitors of their modules. Thread-safe. */
public final class Lifecycles {

  private final Connection connection;

  Lifecycles(Connection connection) {
    this.connection = connection;
  }

  /**
   * Applies a lifecycle: its entities follow it from now on. Each process may do so at its start;
   * the same lifecycle again changes nothing.
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
    return connection.call(
        ApplyLifecyclesRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .addAllLifecycles(lifecycles)
            .addAllJanitors(janitors.stream().map(JanitorTerms::message).toList())
            .setActor(connection.actor())
            .setReason(KeyText.check("reason", reason))
            .build(),
        ApplyLifecyclesResponse.getDefaultInstance());
  }

  /**
   * Declares the contract of a janitor, in place of the former one of its module. Each process may
   * do so at its start, before it applies the lifecycles.
   *
   * @return false if it was declared before: then nothing changed
   * @throws HapaxException.Refused with CLAIM_STATE_UNCOVERED if lifecycles rely on a claim state
   *     that it no longer covers
   */
  public boolean declare(JanitorTerms terms) {
    return !connection
        .call(
            DeclareJanitorRequest.newBuilder()
                .setWorkspace(connection.workspace())
                .setContract(terms.message())
                .setActor(connection.actor())
                .build(),
            DeclareJanitorResponse.getDefaultInstance())
        .getAlready();
  }

  /** Returns the errors and warnings of a lifecycle. Applies nothing. */
  public ValidateLifecycleResponse validate(String json) {
    return connection.call(
        ValidateLifecycleRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setJson(json)
            .build(),
        ValidateLifecycleResponse.getDefaultInstance());
  }

  /**
   * Returns the applied lifecycle.
   *
   * @throws HapaxException.Refused with LIFECYCLE_NOT_FOUND
   */
  public Lifecycle get(String name) {
    return connection
        .call(
            GetLifecycleRequest.newBuilder()
                .setWorkspace(connection.workspace())
                .setName(name)
                .build(),
            GetLifecycleResponse.getDefaultInstance())
        .getLifecycle();
  }

  /** Lists the lifecycles by name and without their JSON, loaded as they are read. */
  public Stream<Lifecycle> list() {
    return Pages.all(
        token ->
            connection.call(
                ListLifecyclesRequest.newBuilder()
                    .setWorkspace(connection.workspace())
                    .setPageSize(Pages.SIZE)
                    .setPageToken(token)
                    .build(),
                ListLifecyclesResponse.getDefaultInstance()),
        ListLifecyclesResponse::getLifecyclesList,
        ListLifecyclesResponse::getNextPageToken);
  }
}
