package dev.hapax.grpc.security;

import com.google.rpc.Code;
import dev.hapax.application.security.Authenticator;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.StoppableCall;
import dev.hapax.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The calls that are open, so that those end whose credentials expire or are revoked. */
public final class OpenCalls {
  private static final Duration CHECK = Duration.ofSeconds(5);
  private static final FailureLog CHECKS =
      new FailureLog(OpenCalls.class, "check of the credentials of open calls");

  private final Loop loop = new Loop("open-calls", CHECK, System::nanoTime);
  private final Authenticator authenticator;
  private final ConcurrentMap<StoppableCall<?, ?>, Authenticated> calls = new ConcurrentHashMap<>();

  public OpenCalls(Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  /** Checks the open calls until the timer stops. */
  public void checkEvery(ScheduledExecutorService timer) {
    var _ =
        timer.scheduleWithFixedDelay(
            CHECKS.surviving(loop.round(this::endRevoked)),
            CHECK.toMillis(),
            CHECK.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** The repeated work that {@link #checkEvery} begins. */
  public Loop loop() {
    return loop;
  }

  void add(StoppableCall<?, ?> call, Authenticated caller) {
    calls.put(call, caller);
  }

  void remove(StoppableCall<?, ?> call) {
    calls.remove(call);
  }

  /** One call that cannot be checked or ended must not keep the others open. */
  private void endRevoked() {
    calls.forEach(
        (call, caller) -> {
          try {
            if (!authenticator.isLive(caller)) {
              call.stop(noLongerLive());
            }
          } catch (RuntimeException | Error e) {
            CHECKS.failed(e);
          }
        });
  }

  private static StatusRuntimeException noLongerLive() {
    return GrpcErrors.error(
        Code.UNAUTHENTICATED,
        ErrorReason.ERROR_REASON_UNAUTHENTICATED,
        "the credentials of this call expired or were revoked",
        Map.of());
  }
}
