package dev.hapax.grpc.call;

import dev.hapax.domain.Workspace;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A claim as a request presents it.
 *
 * @param found its grant; empty = no server granted such a claim in the workspace
 * @param workspace that of the request, or else of the claim, or else the default
 */
public record PresentedClaim<C>(Optional<C> found, Workspace workspace) {

  /**
   * Resolves a claim in the workspace of the request.
   *
   * @param requested the field workspace of the request; empty = the claim's own workspace
   */
  public static <C> PresentedClaim<C> of(
      String requested, Optional<C> read, Function<? super C, Workspace> granted) {
    if (requested.isEmpty()) {
      return new PresentedClaim<>(read, read.<Workspace>map(granted).orElse(Workspace.DEFAULT));
    }
    var workspace = FieldReader.workspace(requested);
    return new PresentedClaim<>(
        read.filter(claim -> granted.apply(claim).equals(workspace)), workspace);
  }

  /** Makes the command for the claim. */
  public <D> PresentedClaim<D> map(Function<? super C, ? extends D> command) {
    return new PresentedClaim<>(found.map(command), workspace);
  }

  /**
   * Calls the use case with a claim that was found.
   *
   * @param unknown the outcome for an unknown claim of a workspace
   */
  public <O> CompletableFuture<O> call(
      Function<? super C, CompletableFuture<O>> useCase,
      Function<? super Workspace, ? extends O> unknown) {
    return found
        .<CompletableFuture<O>>map(useCase)
        .orElseGet(() -> CompletableFuture.completedFuture(unknown.apply(workspace)));
  }

  /** The answer to a claim that was never granted in this workspace. */
  public static ClaimLost unknown(Workspace workspace) {
    return ClaimLost.newBuilder()
        .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
        .setWorkspace(workspace.name())
        .build();
  }
}
