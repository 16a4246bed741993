package dev.hapax.grpc.server;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The gRPC server without a network, for other protocols of this process. A call has the address of
 * the caller for whom it is made, so that limits and the audit log apply to that caller.
 */
final class InProcessServer {
  private static final int PORT_BYTES = 2;

  /** No call from the network has it: only the server here reads it. */
  private static final Metadata.Key<byte[]> CALLER =
      Metadata.Key.of("hapax-caller-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Server server;
  private final ManagedChannel channel;

  /**
   * Makes a server that is not started.
   *
   * @param configure adds the services and interceptors
   */
  InProcessServer(UnaryOperator<InProcessServerBuilder> configure) {
    var name = InProcessServerBuilder.generateName();
    // the last interceptor is the first that a call meets
    server =
        configure
            .apply(InProcessServerBuilder.forName(name).directExecutor())
            .intercept(new AddressReader())
            .build();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  void start() throws IOException {
    server.start();
  }

  /** The channel for calls of a caller at this address. */
  Channel channel(InetSocketAddress caller) {
    return ClientInterceptors.intercept(channel, new AddressWriter(caller));
  }

  /** Rejects new calls. */
  void shutdown() {
    server.shutdown();
  }

  /** Ends the calls that are left. */
  void stop(int seconds) throws InterruptedException {
    server.shutdownNow();
    channel.shutdownNow();
    channel.awaitTermination(seconds, TimeUnit.SECONDS);
  }

  private record AddressWriter(InetSocketAddress caller) implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          headers.put(CALLER, encode(caller));
          super.start(listener, headers);
        }
      };
    }
  }

  private static final class AddressReader implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      var caller = Optional.ofNullable(headers.get(CALLER)).map(InProcessServer::decode);
      return caller
          .map(address -> next.startCall(new AddressedCall<>(call, address), headers))
          .orElseGet(() -> next.startCall(call, headers));
    }
  }

  private static final class AddressedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final Attributes attributes;

    AddressedCall(ServerCall<Q, A> delegate, InetSocketAddress caller) {
      super(delegate);
      attributes =
          delegate.getAttributes().toBuilder()
              .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, caller)
              .build();
    }

    @Override
    public Attributes getAttributes() {
      return attributes;
    }
  }

  private static byte[] encode(InetSocketAddress caller) {
    var address = caller.getAddress().getAddress();
    return ByteBuffer.allocate(PORT_BYTES + address.length)
        .putShort((short) caller.getPort())
        .put(address)
        .array();
  }

  private static InetSocketAddress decode(byte[] caller) {
    var bytes = ByteBuffer.wrap(caller);
    var port = Short.toUnsignedInt(bytes.getShort());
    var address = new byte[bytes.remaining()];
    bytes.get(address);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address has " + address.length + " bytes", e);
    }
  }
}
