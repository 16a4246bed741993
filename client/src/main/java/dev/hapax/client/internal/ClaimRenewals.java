package dev.hapax.client.internal;

import io.grpc.Context;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The heartbeats of one claim that is renewed by itself: of an operation or an action. */
public final class ClaimRenewals<Q, R> implements Heartbeats.Renewals {

  private static final Logger log = LoggerFactory.getLogger(ClaimRenewals.class);

  private final RetryingCalls transport;
  private final MethodDescriptor<Q, R> method;
  private final Q renewal;
  private final ResultHandler<R> results;
  // the caller's values (credentials, traces), but neither its cancellation nor its deadline
  private final Context context = Context.current().fork();

  /** Applies the response to the lease. */
  public interface ResultHandler<R> {
    void handle(ClaimLease lease, RetryingCalls.Answer<R> answer);
  }

  public ClaimRenewals(
      RetryingCalls transport, MethodDescriptor<Q, R> method, Q renewal, ResultHandler<R> results) {
    this.transport = transport;
    this.method = method;
    this.renewal = renewal;
    this.results = results;
  }

  @Override
  public CompletableFuture<?> send(List<ClaimLease> due) {
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    context.run(() -> renew(due.get(0), done));
    return done;
  }

  private void renew(ClaimLease lease, CompletableFuture<@Nullable Void> done) {
    var unused =
        transport
            .sendOnce(method, renewal, ClaimLease.renewalTimeout(List.of(lease)))
            .whenComplete(
                (answer, error) -> {
                  answered(lease, answer, error);
                  done.complete(null);
                });
  }

  private void answered(
      ClaimLease lease, RetryingCalls.@Nullable Answer<R> answer, @Nullable Throwable error) {
    if (answer == null) {
      log.debug("renewal of claim {} failed, will retry", lease.claim().getId(), error);
      lease.notRenewed();
    } else {
      results.handle(lease, answer);
    }
  }
}
