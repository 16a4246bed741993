package dev.hapax.http;

import io.grpc.Channel;
import io.grpc.ServiceDescriptor;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.QueryStringDecoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.grpc.netty.shaded.io.netty.handler.codec.http.TooLongHttpLineException;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Makes requests of the Connect protocol calls of the gRPC method of their path. */
final class ConnectHandler {
  /** The requests that are open at once, those that wait included. */
  static final int MAX_OPEN = 512;

  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int LINE_TOO_LONG = 414;
  private static final int TOO_MANY = 429;
  private static final int HEADERS_TOO_LARGE = 431;

  private final Map<String, RemoteMethod> methods;
  private final BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels;
  private final Duration maxStreamAge;
  private final Semaphore open = new Semaphore(MAX_OPEN);

  /**
   * Makes a handler.
   *
   * @param channels the channel for calls from an address, perhaps with a verified certificate
   */
  ConnectHandler(
      Collection<ServiceDescriptor> services,
      BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels,
      Duration maxStreamAge) {
    this.methods = RemoteMethod.byPath(services);
    this.channels = channels;
    this.maxStreamAge = maxStreamAge;
  }

  /** Begins the call of a request whose body has not been read. */
  ConnectCall call(HttpExchange exchange) throws RefusedRequestException {
    var request = exchange.request();
    requireReadable(request);
    var method = method(request);
    var headers = CallHeaders.read(request.headers(), method.isStream());
    RequestBody.requireSize(request.headers());
    var channel = exchange.connection().channel();
    var remote = channels.apply((InetSocketAddress) channel.remoteAddress(), certificate(channel));
    if (!open.tryAcquire()) {
      throw tooMany();
    }
    var answer =
        method.isStream()
            ? new EnvelopedAnswer(exchange, headers.codec())
            : new UnaryAnswer(exchange, headers.codec());
    var call =
        new ConnectCall(
            remote.newCall(method.call(), headers.options().withExecutor(channel.eventLoop())),
            method,
            headers,
            answer,
            open::release);
    call.start(channel.eventLoop(), maxStreamAge);
    return call;
  }

  private static void requireReadable(HttpRequest request) throws RefusedRequestException {
    if (request.decoderResult().isFailure()) {
      throw switch (request.decoderResult().cause()) {
        case TooLongHttpLineException _ -> malformed(LINE_TOO_LONG, "the address is too long");
        case TooLongHttpHeaderException _ ->
            malformed(HEADERS_TOO_LARGE, "the headers have too many bytes");
        default -> malformed(BAD_REQUEST, "the request is not HTTP/1.1");
      };
    }
  }

  private static RefusedRequestException malformed(int status, String problem) {
    return new RefusedRequestException(
        status, new ConnectError(ConnectCode.INVALID_ARGUMENT, problem));
  }

  private static RefusedRequestException tooMany() {
    return new RefusedRequestException(
        TOO_MANY,
        new ConnectError(
            ConnectCode.RESOURCE_EXHAUSTED,
            "%d HTTP requests are open, which is the most; retry later".formatted(MAX_OPEN)),
        "Retry-After",
        "1");
  }

  private static Optional<X509Certificate> certificate(
      io.grpc.netty.shaded.io.netty.channel.Channel channel) {
    var secured = channel.pipeline().get(SslHandler.class);
    if (secured == null) {
      return Optional.empty();
    }
    try {
      return secured.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate leaf
          ? Optional.of(leaf)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException _) {
      return Optional.empty();
    }
  }

  private RemoteMethod method(HttpRequest request) throws RefusedRequestException {
    var method = methods.get(new QueryStringDecoder(request.uri()).rawPath());
    if (method == null) {
      throw new RefusedRequestException(
          NOT_FOUND,
          new ConnectError(
              ConnectCode.UNIMPLEMENTED,
              "no method has this path; a path is /hapax.v1.Service/Method"));
    }
    if (!request.method().equals(HttpMethod.POST)) {
      throw new RefusedRequestException(
          METHOD_NOT_ALLOWED,
          new ConnectError(ConnectCode.UNIMPLEMENTED, "every method is called by POST"),
          "Allow",
          "POST");
    }
    if (!method.isOffered()) {
      throw RefusedRequestException.of(
          ConnectCode.UNIMPLEMENTED,
          "%s is a stream in both directions, which HTTP/1.1 cannot carry; call it by gRPC"
              .formatted(method.call().getFullMethodName()));
    }
    return method;
  }
}
