package dev.hapax.grpc.limit;

import com.google.protobuf.Message;
import com.google.rpc.Code;
import dev.hapax.grpc.call.Errors;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.WatchRunRequest;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Applies the limits of a workspace and of a principal to calls. A unary call above a limit is
 * refused; a stream is read more slowly, so that its calls wait at the client.
 */
public final class CallLimits implements ServerInterceptor {
  /** The time after which to retry when the number of watches, not their rate, is the limit. */
  private static final Duration RETRY_WATCH = Duration.ofSeconds(5);

  private final RateLimits ofWorkspace;
  private final RateLimits ofPrincipal;
  private final Supplier<Optional<String>> principal;
  private final RequestWorkspaces workspaces = new RequestWorkspaces();
  private volatile LimitObserver observer = LimitObserver.NONE;

  /**
   * Makes limits that no call has used.
   *
   * @param principal who calls, asked when a call begins; empty = not authenticated
   */
  public CallLimits(CallRates rates, Supplier<Optional<String>> principal, LongSupplier nanoTime) {
    this.ofWorkspace =
        new RateLimits(rates.callsPerWorkspace(), rates.watchesPerWorkspace(), nanoTime);
    this.ofPrincipal =
        new RateLimits(rates.callsPerPrincipal(), rates.watchesPerPrincipal(), nanoTime);
    this.principal = principal;
  }

  public void observe(LimitObserver refused) {
    observer = refused;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var limited = new Limited<>(call, principal.get());
    return new Admitting<>(next.startCall(limited, headers), limited);
  }

  private StatusRuntimeException refuse(
      String workspace, String limit, String what, Duration retryAfter) {
    observer.refusedCall(workspace, limit);
    return Errors.error(
        Code.RESOURCE_EXHAUSTED,
        ErrorReason.ERROR_REASON_RATE_LIMITED,
        "%s; retry after %d ms".formatted(what, retryAfter.toMillis()),
        Map.of("limit", limit, "workspace", workspace),
        Errors.retryInfo(retryAfter));
  }

  /** A call that counts against its limits, and reads a stream no faster than they allow. */
  private final class Limited<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final Optional<String> principal;

    // guarded by this
    private Duration pause = Duration.ZERO;
    private final List<Runnable> onEnd = new ArrayList<>();
    private boolean ended;

    Limited(ServerCall<Q, A> delegate, Optional<String> principal) {
      super(delegate);
      this.principal = principal;
    }

    /** Counts a message, or returns why the call is refused. */
    @Nullable StatusRuntimeException admit(Message message) {
      var calls = workspaces.calls(message);
      if (message instanceof WatchRunRequest) {
        return calls.keySet().stream().findFirst().map(this::openWatch).orElse(null);
      }
      if (!getMethodDescriptor().getType().serverSendsOneMessage()) {
        charge(calls);
        return null;
      }
      for (var each : calls.entrySet()) {
        var error = admit(each.getKey(), each.getValue());
        if (error != null) {
          return error;
        }
      }
      return null;
    }

    private @Nullable StatusRuntimeException admit(String workspace, int count) {
      var retry = ofWorkspace.admit(workspace, count);
      if (retry.isPresent()) {
        return refuse(
            workspace,
            "calls-per-second-per-workspace",
            "workspace %s has reached its calls per second".formatted(workspace),
            retry.get());
      }
      return principal
          .flatMap(key -> ofPrincipal.admit(key, count))
          .map(
              after ->
                  refuse(
                      workspace,
                      "calls-per-second-per-principal",
                      "this caller has reached its calls per second",
                      after))
          .orElse(null);
    }

    private @Nullable StatusRuntimeException openWatch(String workspace) {
      var error = admit(workspace, 1);
      if (error != null) {
        return error;
      }
      if (!ofWorkspace.openWatch(workspace)) {
        return refuse(
            workspace,
            "watches-per-workspace",
            "workspace %s has too many open watches".formatted(workspace),
            RETRY_WATCH);
      }
      atEnd(() -> ofWorkspace.closeWatch(workspace));
      if (principal.isPresent()) {
        if (!ofPrincipal.openWatch(principal.get())) {
          return refuse(
              workspace,
              "watches-per-principal",
              "this caller has too many open watches",
              RETRY_WATCH);
        }
        atEnd(() -> ofPrincipal.closeWatch(principal.get()));
      }
      return null;
    }

    private void charge(Map<String, Integer> calls) {
      var longest = Duration.ZERO;
      for (var each : calls.entrySet()) {
        longest = longer(longest, ofWorkspace.charge(each.getKey(), each.getValue()));
        if (principal.isPresent()) {
          longest = longer(longest, ofPrincipal.charge(principal.get(), each.getValue()));
        }
      }
      synchronized (this) {
        pause = longest;
      }
    }

    private static Duration longer(Duration one, Duration other) {
      return one.compareTo(other) >= 0 ? one : other;
    }

    /** Asks for the next message, once the calls of the last one are paid for. */
    @Override
    public void request(int messages) {
      Duration wait;
      synchronized (this) {
        wait = pause;
        pause = Duration.ZERO;
      }
      if (wait.isZero()) {
        super.request(messages);
        return;
      }
      CompletableFuture.delayedExecutor(wait.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
          .execute(() -> super.request(messages));
    }

    private void atEnd(Runnable release) {
      synchronized (this) {
        if (!ended) {
          onEnd.add(release);
          return;
        }
      }
      release.run();
    }

    void end() {
      List<Runnable> releases;
      synchronized (this) {
        ended = true;
        releases = List.copyOf(onEnd);
        onEnd.clear();
      }
      releases.forEach(Runnable::run);
    }
  }

  private static final class Admitting<Q> extends SimpleForwardingServerCallListener<Q> {
    private final CallLimits.Limited<Q, ?> call;
    private boolean refused;

    Admitting(ServerCall.Listener<Q> delegate, CallLimits.Limited<Q, ?> call) {
      super(delegate);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      // one that could not be parsed is not a message, and is refused further in
      var error = !refused && message instanceof Message sent ? call.admit(sent) : null;
      if (error != null) {
        refused = true;
        call.close(error.getStatus(), Errors.trailers(error));
      } else if (!refused) {
        super.onMessage(message);
      }
    }

    @Override
    public void onHalfClose() {
      if (!refused) {
        super.onHalfClose();
      }
    }

    @Override
    public void onComplete() {
      call.end();
      super.onComplete();
    }

    @Override
    public void onCancel() {
      call.end();
      super.onCancel();
    }
  }
}
