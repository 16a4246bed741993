package dev.hapax.grpc.server;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.quota.CallLimitInterceptor;
import dev.hapax.grpc.security.CallCredentialsReader;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The gRPC server without a network, for other protocols of this process. A call has the address of
 * the caller for whom it is made, so that limits and the audit log apply to that caller.
 */
final class InProcessServer {
  private static final int PORT_BYTES = 2;

  /** Only the server here reads it, so no call from the network can forge a caller. */
  private static final Metadata.Key<byte[]> CALLER =
      Metadata.Key.of("hapax-caller-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static final Metadata.Key<byte[]> CERTIFICATE =
      Metadata.Key.of("hapax-caller-certificate-bin", Metadata.BINARY_BYTE_MARSHALLER);

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
            .intercept(new CallerHeaderReader())
            .build();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  void start() throws IOException {
    server.start();
  }

  /**
   * The channel for calls of a caller at this address.
   *
   * @param verified the certificate with which the caller has connected
   */
  Channel channel(InetSocketAddress caller, Optional<X509Certificate> verified) {
    return ClientInterceptors.intercept(channel, new CallerHeaderWriter(caller, verified));
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

  private record CallerHeaderWriter(InetSocketAddress caller, Optional<X509Certificate> verified)
      implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          headers.put(CALLER, encode(caller));
          verified.ifPresent(certificate -> headers.put(CERTIFICATE, encode(certificate)));
          super.start(new ServerAnswer<>(listener), headers);
        }
      };
    }
  }

  /**
   * Tells answers of the server from errors of the channel itself, which has failed if it calls one
   * internal: the request may be sent again, to another server or after a restart.
   */
  private static final class ServerAnswer<A> extends SimpleForwardingClientCallListener<A> {
    ServerAnswer(ClientCall.Listener<A> listener) {
      super(listener);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.getCode() == Status.Code.INTERNAL && GrpcErrors.reason(trailers).isEmpty()) {
        var unavailable =
            GrpcErrors.of(new LedgerException.Unavailable("a call within the server has failed"));
        super.onClose(unavailable.getStatus(), GrpcErrors.trailers(unavailable));
      } else {
        super.onClose(status, trailers);
      }
    }
  }

  private static final class CallerHeaderReader implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      var caller = headers.get(CALLER);
      if (caller == null) {
        throw new IllegalStateException("a call in the process has no caller");
      }
      var attributes =
          call.getAttributes().toBuilder()
              .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, decode(caller))
              .set(CallLimitInterceptor.BY_HTTP, true)
              .build();
      var certificate = headers.get(CERTIFICATE);
      return next.startCall(
          new IdentifiedCall<>(
              call,
              certificate == null
                  ? attributes
                  : CallCredentialsReader.withCertificate(attributes, certificate(certificate))),
          headers);
    }
  }

  private static final class IdentifiedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final Attributes attributes;

    IdentifiedCall(ServerCall<Q, A> delegate, Attributes attributes) {
      super(delegate);
      this.attributes = attributes;
    }

    @Override
    public Attributes getAttributes() {
      return attributes;
    }
  }

  private static byte[] encode(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (CertificateEncodingException e) {
      throw new IllegalArgumentException("a certificate cannot be encoded", e);
    }
  }

  private static X509Certificate certificate(byte[] encoded) {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(encoded));
    } catch (CertificateException e) {
      throw new IllegalArgumentException("a certificate cannot be decoded", e);
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
