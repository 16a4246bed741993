package dev.hapax.client;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Checks API keys as a server does. It accepts every caller until a test names the keys. */
public final class FakeAccess implements ServerInterceptor {

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  public static final String FIRST_KEY =
      "hpx_0123456789AB_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_2I5R77";

  public static final String SECOND_KEY =
      "hpx_zzzzzzzzzzzz_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz_2wC5I6";

  private final Map<ServerCall<?, ?>, String> open = new ConcurrentHashMap<>();
  private final Map<String, String> spans = new ConcurrentHashMap<>();
  private final AtomicInteger rejected = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile @Nullable Set<String> keys;
  private volatile boolean denied;

  /** Accepts these keys only; ends the calls of all others, also open ones. */
  public void accept(String... accepted) {
    Set<String> known = Set.copyOf(List.of(accepted));
    keys = known;
    open.forEach(
        (call, key) -> {
          if (!known.contains(key)) {
            reject(call);
          }
        });
  }

  /** The caller has no role for anything. */
  public void deny() {
    denied = true;
  }

  /** The header {@code traceparent} of the last call of a method; empty without one. */
  public String spanOf(String method) {
    return spans.getOrDefault(method, "");
  }

  public int rejected() {
    return rejected.get();
  }

  public int accepted() {
    return accepted.get();
  }

  private void reject(ServerCall<?, ?> call) {
    rejected.incrementAndGet();
    open.remove(call);
    call.close(Status.UNAUTHENTICATED.withDescription("unknown API key"), new Metadata());
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String key =
        Objects.requireNonNullElse(headers.get(AUTHORIZATION), "").replaceFirst("^Bearer ", "");
    Set<String> known = keys;
    if (known != null && !known.contains(key)) {
      reject(call);
      return new ServerCall.Listener<>() {};
    }
    if (denied) {
      call.close(Status.PERMISSION_DENIED.withDescription("no role"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    accepted.incrementAndGet();
    spans.put(
        call.getMethodDescriptor().getBareMethodName(),
        Objects.requireNonNullElse(headers.get(TRACEPARENT), ""));
    open.put(call, key);
    return next.startCall(
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void close(Status status, Metadata trailers) {
            if (open.remove(call) != null) {
              super.close(status, trailers);
            }
          }

          @Override
          public void sendMessage(R message) {
            if (open.containsKey(call)) {
              super.sendMessage(message);
            }
          }

          @Override
          public void sendHeaders(Metadata sent) {
            if (open.containsKey(call)) {
              super.sendHeaders(sent);
            }
          }
        },
        headers);
  }
}
