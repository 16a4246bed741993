package dev.hapax.http;

import com.google.protobuf.Message;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests of the Connect protocol with what the gRPC method of their path answers. Each
 * request waits for its call, so it needs a virtual thread. A client that goes away is noticed when
 * it is answered, since nothing is read from it meanwhile.
 */
public final class ConnectHandler implements HttpHandler {
  /** The requests that are open at once, those that wait included. */
  static final int MAX_OPEN = 512;

  /** The share of the heap that bodies of requests may take. */
  private static final int MAX_OPEN_BYTES =
      (int) Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final Logger LOG = LoggerFactory.getLogger(ConnectHandler.class);

  private final Map<String, RemoteMethod> methods;
  private final Function<HttpExchange, Channel> channels;
  private final RequestBodies bodies = new RequestBodies(MAX_OPEN_BYTES);
  private final Semaphore open = new Semaphore(MAX_OPEN);

  /**
   * Makes a handler.
   *
   * @param services what can be called
   * @param channels the channel for calls of the client of an exchange
   */
  public ConnectHandler(
      Collection<ServiceDescriptor> services, Function<HttpExchange, Channel> channels) {
    this.methods = RemoteMethod.byPath(services);
    this.channels = channels;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!open.tryAcquire()) {
        send(exchange, tooMany());
        return;
      }
      try {
        send(exchange, answer(exchange));
      } finally {
        open.release();
      }
    } catch (IOException e) {
      LOG.debug("an HTTP client has gone: {}", e.getMessage());
    }
  }

  private static HttpAnswer tooMany() {
    return HttpAnswer.of(
            new ConnectError(
                ConnectCode.RESOURCE_EXHAUSTED,
                "%d HTTP requests are open, which is the most; retry later".formatted(MAX_OPEN)))
        .with("Retry-After", "1");
  }

  private HttpAnswer answer(HttpExchange exchange) throws IOException {
    try {
      return call(exchange);
    } catch (RefusedRequestException e) {
      return e.answer();
    } catch (StatusRuntimeException e) {
      return HttpAnswer.of(ConnectError.of(e));
    } catch (RuntimeException e) {
      LOG.error("unexpected error in an HTTP request", e);
      return HttpAnswer.of(new ConnectError(ConnectCode.INTERNAL, "internal error; see the log"));
    }
  }

  private HttpAnswer call(HttpExchange exchange) throws IOException, RefusedRequestException {
    var method = method(exchange);
    var headers = CallHeaders.read(exchange.getRequestHeaders());
    if (!method.type().clientSendsOneMessage() || !method.type().serverSendsOneMessage()) {
      throw RefusedRequestException.of(
          ConnectCode.UNIMPLEMENTED,
          "%s is a stream, which HTTP/JSON does not offer; call it by gRPC"
              .formatted(method.call().getFullMethodName()));
    }
    var body = bodies.read(exchange.getRequestBody());
    try {
      var request = headers.codec().read(body, method.request(), headers.strict());
      return HttpAnswer.ok(
          headers.codec(), headers.codec().write(call(exchange, method, headers, request)));
    } finally {
      bodies.release(body);
    }
  }

  private Message call(
      HttpExchange exchange, RemoteMethod method, CallHeaders headers, byte[] request) {
    var channel =
        ClientInterceptors.intercept(
            channels.apply(exchange),
            MetadataUtils.newAttachHeadersInterceptor(headers.metadata()));
    return ClientCalls.blockingUnaryCall(channel, method.call(), headers.options(), request);
  }

  private RemoteMethod method(HttpExchange exchange) throws RefusedRequestException {
    var method = methods.get(exchange.getRequestURI().getRawPath());
    if (method == null) {
      throw new RefusedRequestException(
          HttpAnswer.of(
              NOT_FOUND,
              new ConnectError(
                  ConnectCode.UNIMPLEMENTED,
                  "no method has this path; a path is /hapax.v1.Service/Method")));
    }
    if (!exchange.getRequestMethod().equals("POST")) {
      throw new RefusedRequestException(
          HttpAnswer.of(
                  METHOD_NOT_ALLOWED,
                  new ConnectError(ConnectCode.UNIMPLEMENTED, "every method is called by POST"))
              .with("Allow", "POST"));
    }
    return method;
  }

  private static void send(HttpExchange exchange, HttpAnswer answer) throws IOException {
    var headers = exchange.getResponseHeaders();
    headers.set("Content-Type", answer.contentType());
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    answer.headers().forEach(headers::set);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(answer.status(), -1);
      return;
    }
    // 0 would be chunks of unknown length
    exchange.sendResponseHeaders(
        answer.status(), answer.body().isEmpty() ? -1 : answer.body().size());
    answer.body().writeTo(exchange.getResponseBody());
  }
}
