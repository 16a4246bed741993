package dev.hapax.bootstrap.acceptance;

import dev.hapax.testkit.server.InMemoryHapax;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Forwards unary calls that carry one API key to a Hapax in memory. */
final class KeyedGateway implements AutoCloseable {
  static final String KEY = "hpx_0123456789AB_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_2I5R77";

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final Server server;

  KeyedGateway(ServerCredentials credentials) throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, credentials)
            .intercept(new KeyCheck())
            .fallbackHandlerRegistry(new Forwarding())
            .build()
            .start();
  }

  String target() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    hapax.close();
  }

  private static final class KeyCheck implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      if (("Bearer " + KEY).equals(headers.get(AUTHORIZATION))) {
        return next.startCall(call, headers);
      }
      call.close(Status.UNAUTHENTICATED.withDescription("no such key"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
  }

  private final class Forwarding extends HandlerRegistry {
    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
        String name, @Nullable String authority) {
      if (name.endsWith("Stream")) {
        return null;
      }
      var method =
          MethodDescriptor.newBuilder(new Bytes(), new Bytes())
              .setType(MethodType.UNARY)
              .setFullMethodName(name)
              .build();
      return ServerMethodDefinition.create(
          method,
          ServerCalls.asyncUnaryCall(
              (request, caller) ->
                  ClientCalls.asyncUnaryCall(
                      hapax.channel().newCall(method, CallOptions.DEFAULT), request, caller)));
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
