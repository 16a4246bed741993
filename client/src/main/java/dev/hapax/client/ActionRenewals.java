package dev.hapax.client;

import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import io.grpc.Context;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The heartbeats of one action. */
final class ActionRenewals implements Heartbeats.Renewals {

  private static final Logger log = LoggerFactory.getLogger(ActionRenewals.class);

  private final Wire wire;
  private final RenewActionRequest renewal;
  // the caller's values (credentials, traces), but neither its cancellation nor its deadline
  private final Context context = Context.current().fork();

  ActionRenewals(Wire wire, RenewActionRequest renewal) {
    this.wire = wire;
    this.renewal = renewal;
  }

  @Override
  public CompletableFuture<?> send(List<ClaimLease> due) {
    CompletableFuture<@Nullable Void> told = new CompletableFuture<>();
    context.run(() -> renew(due.get(0), told));
    return told;
  }

  private void renew(ClaimLease lease, CompletableFuture<@Nullable Void> told) {
    var unused =
        wire.sendOnce(
                EntityServiceGrpc.getRenewActionMethod(),
                renewal,
                ClaimLease.patienceOf(List.of(lease)))
            .whenComplete(
                (answer, error) -> {
                  answered(lease, answer, error);
                  told.complete(null);
                });
  }

  private static void answered(
      ClaimLease lease,
      Wire.@Nullable Answer<RenewActionResponse> answer,
      @Nullable Throwable error) {
    if (answer == null) {
      log.debug("claim {} could not be renewed yet", lease.claim().getId(), error);
      lease.notRenewed();
      return;
    }
    RenewActionResponse response = answer.response();
    switch (response.getOutcomeCase()) {
      case RENEWED ->
          lease.renewed(answer, WireTimes.toJava(response.getRenewed().getLeaseRemaining()));
      case CLAIM_LOST -> lease.take(response.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }
}
