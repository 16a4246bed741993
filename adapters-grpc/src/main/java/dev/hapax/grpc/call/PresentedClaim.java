package dev.hapax.grpc.call;

import dev.hapax.domain.Workspace;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A claim that a caller sent.
 *
 * @param found what it was granted for; empty = it names nothing where it was looked for
 * @param workspace where it was looked for
 */
public record PresentedClaim<C>(Optional<C> found, Workspace workspace) {

  /**
   * Looks for a claim in the workspace of the request, or else in its own, or else in the default.
   *
   * @param asked the request's field
   */
  public static <C> PresentedClaim<C> of(
      String asked, Optional<C> read, Function<? super C, Workspace> granted) {
    if (asked.isEmpty()) {
      return new PresentedClaim<>(read, read.<Workspace>map(granted).orElse(Workspace.DEFAULT));
    }
    var workspace = FieldReader.workspace(asked);
    return new PresentedClaim<>(
        read.filter(claim -> granted.apply(claim).equals(workspace)), workspace);
  }

  /** What the call comes to; a claim that names nothing is answered without one. */
  public <R> CompletableFuture<R> call(
      Function<? super C, CompletableFuture<R>> call, Function<ClaimLost, R> lost) {
    return found
        .<CompletableFuture<R>>map(call)
        .orElseGet(() -> CompletableFuture.completedFuture(lost.apply(unknown(workspace))));
  }

  /** To a claim that names nothing in this workspace. */
  public static ClaimLost unknown(Workspace workspace) {
    return ClaimLost.newBuilder()
        .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
        .setWorkspace(workspace.name())
        .build();
  }
}
