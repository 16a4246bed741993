package dev.hapax.client.worker;

import dev.hapax.client.internal.Rejections;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.MonitoringRpcs;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.ServerFeature;
import dev.hapax.v1.ServerInfo;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks once that the server has parts, before a worker gets tasks. Retries until it answers. */
final class ServerParts {

  private static final Logger log = LoggerFactory.getLogger(ServerParts.class);
  private static final Duration NO_LIMIT = Duration.ofDays(36_500);

  private final RetryingCalls transport;
  private final Timing timing;
  private final Rejections rejections =
      new Rejections(log, MonitoringRpcs.GET_SERVER_INFO.getFullMethodName());
  private final CompletableFuture<@Nullable Void> checked = new CompletableFuture<>();

  ServerParts(RetryingCalls transport, Timing timing) {
    this.transport = transport;
    this.timing = timing;
  }

  /**
   * Checks. The future fails with an {@link IllegalStateException} if the server lacks parts; to
   * cancel it ends the check.
   */
  CompletableFuture<@Nullable Void> check() {
    send();
    return checked;
  }

  private void send() {
    if (checked.isDone()) {
      return;
    }
    var sent =
        transport.sendUntilAnswered(
            MonitoringRpcs.GET_SERVER_INFO,
            GetServerInfoRequest.getDefaultInstance(),
            Duration.ZERO,
            NO_LIMIT);
    var unused = sent.whenComplete(this::answered);
    var unusedToo = checked.whenComplete((any, error) -> sent.cancel(false));
  }

  private void answered(
      RetryingCalls.@Nullable Answer<GetServerInfoResponse> answer, @Nullable Throwable error) {
    if (answer == null) {
      if (!checked.isDone()) {
        timing.after(rejections.rejected(UnaryCalls.statusOf(error).getStatus()), this::send);
      }
      return;
    }
    ServerInfo server = answer.response().getServer();
    if (server.getFeaturesList().contains(ServerFeature.SERVER_FEATURE_PARTS)) {
      rejections.accepted();
      checked.complete(null);
    } else {
      checked.completeExceptionally(
          new IllegalStateException(
              "the server lacks parts (version " + server.getVersion() + "): upgrade the server"));
    }
  }
}
