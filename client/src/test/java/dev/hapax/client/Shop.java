package dev.hapax.client;

import dev.hapax.client.grpc.IdempotencyInterceptor;
import dev.hapax.client.internal.RpcDetails;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of the user's, and a client of it that sees everything of an answer. */
public final class Shop implements AutoCloseable {

  public static final Metadata.Key<String> ACCOUNT =
      Metadata.Key.of("account", Metadata.ASCII_STRING_MARSHALLER);

  private final Server server;
  private final ManagedChannel channel;

  public Shop(ServerServiceDefinition service) {
    this(service, null);
  }

  /** As {@link #Shop(ServerServiceDefinition)}, on an executor; null = that of gRPC. */
  public Shop(ServerServiceDefinition service, @Nullable Executor executor) {
    String name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .executor(executor)
              .addService(service)
              .build()
              .start();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    channel = InProcessChannelBuilder.forName(name).build();
  }

  /** How a call was answered. */
  public record Answer<R>(@Nullable R message, Status status, Metadata headers, Metadata trailers) {

    public boolean replayed() {
      return "true".equals(trailers.get(IdempotencyInterceptor.REPLAYED));
    }

    public String reason() {
      return RpcDetails.errorInfo(new StatusRuntimeException(status, trailers))
          .map(info -> info.domain() + "/" + info.reason())
          .orElse("");
    }
  }

  /** A call under way. */
  public record Pending<Q, R>(ClientCall<Q, R> call, CompletableFuture<Answer<R>> answer) {

    public Answer<R> await() {
      try {
        return answer.get(20, TimeUnit.SECONDS);
      } catch (Exception failed) {
        throw new AssertionError("no answer", failed);
      }
    }
  }

  public static Metadata key(String key) {
    Metadata headers = new Metadata();
    headers.put(IdempotencyInterceptor.KEY, key);
    return headers;
  }

  public static Metadata key(String key, String account) {
    Metadata headers = key(key);
    headers.put(ACCOUNT, account);
    return headers;
  }

  public <Q, R> Answer<R> call(MethodDescriptor<Q, R> method, Metadata headers, Q request) {
    return start(method, headers, request).await();
  }

  public <Q, R> Pending<Q, R> start(MethodDescriptor<Q, R> method, Metadata headers, Q request) {
    ClientCall<Q, R> call = channel.newCall(method, CallOptions.DEFAULT);
    CompletableFuture<Answer<R>> answer = new CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          private @Nullable R message;
          private Metadata ahead = new Metadata();

          @Override
          public void onHeaders(Metadata received) {
            ahead = received;
          }

          @Override
          public void onMessage(R received) {
            message = received;
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            answer.complete(new Answer<>(message, status, ahead, trailers));
          }
        },
        headers);
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
    return new Pending<>(call, answer);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
