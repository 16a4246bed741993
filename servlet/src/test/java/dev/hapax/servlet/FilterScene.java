package dev.hapax.servlet;

import dev.hapax.client.Hapax;
import dev.hapax.client.Observer;
import dev.hapax.testkit.server.InMemoryHapax;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A container whose handlers are behind the filter, and a Hapax in memory. */
final class FilterScene {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  // how long it repeats calls that the scene refuses
  private static final Duration CALL_TIMEOUT = Duration.ofMillis(100);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final List<Observer.HttpOutcome> outcomes = new CopyOnWriteArrayList<>();
  private final Handlers handlers = new Handlers();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Hapax client;
  private final Container container;
  private volatile @Nullable StatusRuntimeException refusal;

  FilterScene(UnaryOperator<IdempotencyFilter.Builder> settings) throws Exception {
    client =
        Hapax.builder()
            .channel(ClientInterceptors.intercept(hapax.channel(), new Refusing()))
            .callTimeout(CALL_TIMEOUT)
            .observer(new Served())
            .connect();
    IdempotencyFilter filter = settings.apply(IdempotencyFilter.builder(client)).build();
    Filter outer =
        (request, response, chain) -> {
          ((HttpServletResponse) response).addHeader("X-Outer", "outer");
          ((HttpServletResponse) response).addHeader("Set-Cookie", "outer=1");
          chain.doFilter(request, response);
        };
    container = Container.start(outer, filter, handlers);
  }

  private final class Served implements Observer {
    @Override
    public void served(HttpOutcome outcome, Duration duration) {
      outcomes.add(outcome);
    }
  }

  /** The outcomes since the last call, as the filter has reported them. */
  List<Observer.HttpOutcome> outcomes() {
    List<Observer.HttpOutcome> all = List.copyOf(outcomes);
    outcomes.removeAll(all);
    return all;
  }

  /** Fails the calls to Hapax while there is a refusal. */
  private final class Refusing implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      StatusRuntimeException refused = refusal;
      if (refused == null) {
        return next.newCall(method, options);
      }
      return new ClientCall<>() {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          Metadata trailers = refused.getTrailers();
          listener.onClose(refused.getStatus(), trailers == null ? new Metadata() : trailers);
        }

        @Override
        public void request(int count) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Q message) {}
      };
    }
  }

  void refuse(@Nullable StatusRuntimeException status) {
    refusal = status;
  }

  InMemoryHapax hapax() {
    return hapax;
  }

  Handlers handlers() {
    return handlers;
  }

  String version() {
    return container.version();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + path))
        .timeout(PATIENCE);
  }

  HttpRequest post(String path, String key, String body) {
    return request(path).header("Idempotency-Key", key).POST(BodyPublishers.ofString(body)).build();
  }

  CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest request) {
    return http.sendAsync(request, BodyHandlers.ofString());
  }

  HttpResponse<String> send(HttpRequest request) {
    return sendAsync(request).join();
  }

  HttpResponse<byte[]> sendForBytes(HttpRequest request) {
    return http.sendAsync(request, BodyHandlers.ofByteArray()).join();
  }

  /** Sends these bytes, as Latin-1, and nothing more; returns the first line of the response. */
  String firstLine(String bytes) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      return rest(socket).lines().findFirst().orElse("");
    }
  }

  /** Sends a head, and after the head of the response these bytes; returns all that it receives. */
  String exchange(String head, String bytes) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
      StringBuilder received = new StringBuilder();
      while (!received.toString().endsWith("\r\n\r\n")) {
        int next = socket.getInputStream().read();
        if (next < 0) {
          return received.toString();
        }
        received.append((char) next);
      }
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      return received + rest(socket);
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), container.port());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  void close() throws Exception {
    container.close();
    client.close();
    hapax.close();
  }
}
