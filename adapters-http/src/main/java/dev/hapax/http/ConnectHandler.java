package dev.hapax.http;

import static io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod.GET;
import static io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod.POST;

import io.grpc.ServiceDescriptor;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Makes requests of the Connect protocol calls of the gRPC method of their path. */
final class ConnectHandler implements RequestHandler {
  /** The calls that are open at once, those that wait included. */
  static final int MAX_OPEN = 1_024;

  /** The open calls of one client network. */
  static final int MAX_OPEN_PER_NETWORK = MAX_OPEN / 2;

  private static final Map<String, String> HEADERS =
      Map.of(
          "cache-control",
          "no-store",
          "x-content-type-options",
          "nosniff",
          "cross-origin-resource-policy",
          "same-origin");

  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;

  private final Map<String, RemoteMethod> methods;
  private final ConnectCallers callers;
  private final HostNames hosts;
  private final Origins origins;
  private final Duration maxStreamAge;
  private final NetworkPlaces open = new NetworkPlaces(MAX_OPEN, MAX_OPEN_PER_NETWORK);

  ConnectHandler(
      Collection<ServiceDescriptor> services,
      ConnectCallers callers,
      HostNames hosts,
      Origins origins,
      Duration maxStreamAge) {
    this.methods = RemoteMethod.byPath(services);
    this.callers = callers;
    this.hosts = hosts;
    this.origins = origins;
    this.maxStreamAge = maxStreamAge;
  }

  @Override
  public Optional<OpenRequest> begin(HttpExchange exchange) throws RefusedRequestException {
    var request = exchange.request();
    hosts.require(request);
    origins.require(request);
    exchange.share(origins.headers(request));
    var known = origins.preflight(request).or(() -> ApiDocument.answer(request));
    if (known.isPresent()) {
      exchange.answer(known.get());
      return Optional.empty();
    }
    return Optional.of(call(exchange, request));
  }

  @Override
  public Map<String, String> headers() {
    return HEADERS;
  }

  @Override
  public HttpAnswer refusal(RefusedRequestException refused) {
    return refused.answer();
  }

  private ConnectCall call(HttpExchange exchange, HttpRequest request)
      throws RefusedRequestException {
    var query = new RequestQuery(request.uri());
    var method = method(request, query);
    if (!method.isOffered()) {
      throw notOffered(request, method);
    }
    if (request.method().equals(GET)) {
      return call(exchange, method, CallHeaders.get(request.headers(), query));
    }
    var codec = CallHeaders.codec(request.headers(), method.isStream());
    try {
      return call(exchange, method, CallHeaders.post(request.headers(), codec));
    } catch (RefusedRequestException e) {
      throw method.isStream() ? e.inStream(codec) : e;
    }
  }

  private ConnectCall call(HttpExchange exchange, RemoteMethod method, CallHeaders headers)
      throws RefusedRequestException {
    exchange.limitBody(RequestBody.MAX_BYTES);
    var channel = exchange.connection().channel();
    var address = (InetSocketAddress) channel.remoteAddress();
    var remote = callers.channels().apply(address, exchange.connection().certificate());
    var call =
        new ConnectCall(
            remote.newCall(method.call(), headers.options().withExecutor(channel.eventLoop())),
            method,
            headers,
            method.isStream()
                ? new EnvelopedAnswer(exchange, headers.codec())
                : new UnaryAnswer(exchange, headers.codec()),
            new CallPlace(open, exchange.connection().network()),
            exchange::send);
    call.start(channel.eventLoop(), maxStreamAge);
    return call;
  }

  private static RefusedRequestException notOffered(HttpRequest request, RemoteMethod method) {
    var refusal =
        RefusedRequestException.of(
            ConnectCode.UNIMPLEMENTED,
            "%s is a stream in both directions, which HTTP/1.1 cannot carry; call it by gRPC"
                .formatted(method.call().getFullMethodName()));
    return BodyCodec.of(request.headers().get(CONTENT_TYPE, ""), true)
        .map(refusal::inStream)
        .orElse(refusal);
  }

  private RemoteMethod method(HttpRequest request, RequestQuery query)
      throws RefusedRequestException {
    var method = methods.get(query.path());
    if (method == null) {
      throw new RefusedRequestException(
          NOT_FOUND,
          new ConnectError(
              ConnectCode.UNIMPLEMENTED,
              "no method has this path; a path is /hapax.v1.Service/Method"));
    }
    var allowed = method.isGettable() ? List.of(GET, POST) : List.of(POST);
    if (!allowed.contains(request.method())) {
      throw new RefusedRequestException(
          METHOD_NOT_ALLOWED,
          new ConnectError(
              ConnectCode.UNIMPLEMENTED,
              method.isGettable()
                  ? "this method is called by GET or POST"
                  : "this method is called by POST"),
          "Allow",
          allowed.stream().map(HttpMethod::name).collect(Collectors.joining(", ")));
    }
    return method;
  }
}
