package dev.hapax.http;

import com.google.protobuf.ByteString;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers complete requests with pages, each on a virtual thread. */
final class PageHandler implements RequestHandler {
  /** The requests that are answered at once; each may have a body and a page in memory. */
  static final int MAX_OPEN = 128;

  /** The open requests of one client network. */
  static final int MAX_OPEN_PER_NETWORK = MAX_OPEN / 2;

  private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);

  private final WebPages pages;
  private final HostNames hosts;
  private final NetworkPlaces open = new NetworkPlaces(MAX_OPEN, MAX_OPEN_PER_NETWORK);
  private final ThreadFactory threads = Thread.ofVirtual().name("page-", 0).factory();

  PageHandler(WebPages pages, HostNames hosts) {
    this.pages = pages;
    this.hosts = hosts;
  }

  @Override
  public Optional<OpenRequest> begin(HttpExchange exchange) throws RefusedRequestException {
    hosts.require(exchange.request());
    var head = head(exchange);
    exchange.limitBody(pages.maxBody(head));
    var place = new CallPlace(open, exchange.connection().network());
    return Optional.of(new PageRequest(exchange, head, place, this));
  }

  private static WebRequest head(HttpExchange exchange) throws RefusedRequestException {
    var request = exchange.request();
    var channel = exchange.connection().channel();
    return new WebRequest(
        request.method().name(),
        address(request),
        headers(request),
        ByteString.EMPTY,
        ((InetSocketAddress) channel.localAddress()).getPort(),
        (InetSocketAddress) channel.remoteAddress(),
        exchange.connection().certificate());
  }

  private static URI address(HttpRequest request) throws RefusedRequestException {
    try {
      return new URI(RequestQuery.withoutHost(request.uri()));
    } catch (URISyntaxException _) {
      throw RefusedRequestException.of(
          ConnectCode.INVALID_ARGUMENT, "the address of the request is not valid");
    }
  }

  private static Map<String, List<String>> headers(HttpRequest request) {
    var headers = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    request
        .headers()
        .forEach(
            header ->
                headers
                    .computeIfAbsent(header.getKey(), _ -> new ArrayList<>())
                    .add(header.getValue()));
    return headers;
  }

  /** Answers a request on a thread that may block. */
  void answer(WebRequest request, Consumer<HttpAnswer> answered) {
    threads.newThread(() -> answered.accept(answer(request))).start();
  }

  private HttpAnswer answer(WebRequest request) {
    try {
      return HttpAnswer.of(pages.answer(request));
    } catch (RuntimeException e) {
      LOG.error("unexpected error in an HTTP request", e);
      return refusal(RefusedRequestException.unexpected());
    }
  }

  /** None: a page has all of its headers. */
  @Override
  public Map<String, String> headers() {
    return Map.of();
  }

  @Override
  public HttpAnswer refusal(RefusedRequestException refused) {
    var known = refused.answer();
    var answer = HttpAnswer.of(pages.refuse(known.status(), refused.error().message()));
    for (var header : known.headers().entrySet()) {
      answer = answer.with(header.getKey(), header.getValue());
    }
    return answer;
  }
}
