package dev.hapax.client.claim;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.JanitorRpcs;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListJanitorsResponse;
import java.util.stream.Stream;

/**
 * Declares the janitors of modules, and lists their state. Thread-safe. See {@link HapaxClient} for
 * exceptions and retries.
 */
public final class Janitors {

  private final UnaryCalls calls;
  private final String workspace;
  private final String actor;

  /** Internal; see {@link HapaxClient#janitors}. */
  public Janitors(ClientConnection connection) {
    this.calls = connection.unaryCalls();
    this.workspace = connection.options().workspace();
    this.actor = connection.options().actor();
  }

  Janitors(UnaryCalls calls, String workspace, String actor) {
    this.calls = calls;
    this.workspace = workspace;
    this.actor = actor;
  }

  /**
   * Declares the contract of a module, in place of its former one. Every process may do so at its
   * start, before it applies the lifecycles.
   *
   * @return false if the same contract was declared before: then nothing changed
   * @throws HapaxException.Refused with CLAIM_STATE_UNCOVERED if lifecycles rely on a claim state
   *     that it no longer covers
   */
  public boolean declare(JanitorTerms terms) {
    return declare(terms, "");
  }

  /**
   * As {@link #declare(JanitorTerms)}.
   *
   * @param reason recorded with the contract; at most 255 characters
   */
  public boolean declare(JanitorTerms terms, String reason) {
    DeclareJanitorRequest request =
        DeclareJanitorRequest.newBuilder()
            .setWorkspace(workspace)
            .setContract(terms.toProto())
            .setActor(actor)
            .setReason(KeyText.check("reason", reason))
            .build();
    return !UnaryCalls.await(calls.send(JanitorRpcs.DECLARE_JANITOR, request)).getAlready();
  }

  /**
   * Lists the janitors by module, with what they cover and how late they are. Loaded as they are
   * read.
   */
  public Stream<Janitor> list() {
    ListJanitorsRequest request =
        ListJanitorsRequest.newBuilder().setWorkspace(workspace).setPageSize(Pages.SIZE).build();
    return Pages.all(
        token ->
            UnaryCalls.await(
                calls.send(
                    JanitorRpcs.LIST_JANITORS, request.toBuilder().setPageToken(token).build())),
        ListJanitorsResponse::getJanitorsList,
        ListJanitorsResponse::getNextPageToken);
  }
}
