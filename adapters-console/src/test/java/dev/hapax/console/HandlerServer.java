package dev.hapax.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.hapax.console.web.ConsoleHandler;
import dev.hapax.console.web.ConsoleRequest;
import dev.hapax.console.web.WebAnswer;
import io.grpc.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/** A server on loopback whose requests the console answers, with the JDK in place of Hapax' own. */
final class HandlerServer implements AutoCloseable {
  private static final int TOO_LARGE = 413;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer http =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  private final ConsoleHandler handler;
  private final Channel channel;
  private final BooleanSupplier needsLogin;

  HandlerServer(ConsoleHandler handler, Channel channel, BooleanSupplier needsLogin)
      throws IOException {
    this.handler = handler;
    this.channel = channel;
    this.needsLogin = needsLogin;
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var most = handler.maxForm(request(exchange, ""));
      var body = exchange.getRequestBody().readNBytes(most + 1);
      var text = new String(body, StandardCharsets.UTF_8);
      send(
          exchange,
          body.length > most
              ? handler.refuse(TOO_LARGE, "The form is too large.")
              : handler.answer(request(exchange, text)));
    }
  }

  private ConsoleRequest request(HttpExchange exchange, String body) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.putAll(exchange.getRequestHeaders());
    return new ConsoleRequest(
        exchange.getRequestMethod(),
        exchange.getRequestURI(),
        headers,
        body,
        port(),
        channel,
        needsLogin.getAsBoolean());
  }

  private static void send(HttpExchange exchange, WebAnswer answer) throws IOException {
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    var withBody = answer.body().length > 0 && !exchange.getRequestMethod().equals("HEAD");
    // 0 would be chunks of unknown length
    exchange.sendResponseHeaders(answer.status(), withBody ? answer.body().length : -1);
    if (withBody) {
      exchange.getResponseBody().write(answer.body());
    }
  }

  int port() {
    return http.getAddress().getPort();
  }

  String origin() {
    return "http://127.0.0.1:" + port();
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
