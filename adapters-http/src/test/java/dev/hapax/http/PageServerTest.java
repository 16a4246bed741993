package dev.hapax.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PageServerTest {
  private static final int MAX_BODY = 100;
  private static final String CLOSE = "Host: localhost\r\nConnection: close\r\n";

  private final Semaphore waiting = new Semaphore(0);
  private final Semaphore free = new Semaphore(0);
  private final HttpServer server;

  PageServerTest() throws IOException {
    server =
        PageServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.empty(),
            client -> client.getAddress().getHostAddress(),
            HostNames.of(Set.of()),
            new Pages());
  }

  @AfterEach
  void stop() {
    free.release(PageHandler.MAX_OPEN);
    server.close();
  }

  private final class Pages implements WebPages {
    @Override
    public int maxBody(WebRequest head) {
      return MAX_BODY;
    }

    @Override
    public WebResponse answer(WebRequest request) {
      return switch (request.address().getPath()) {
        case "/waits" -> {
          waiting.release();
          free.acquireUninterruptibly();
          yield text(200, "waited");
        }
        case "/fails" -> throw new IllegalStateException("no page");
        case "/known" -> new WebResponse(304, Map.of("ETag", "\"1\""), ByteString.EMPTY);
        default ->
            text(
                200,
                String.join(
                    " ",
                    request.method(),
                    request.address().toString(),
                    String.join(",", request.headers().getOrDefault("x-ONE", List.of())),
                    request.body().toStringUtf8()));
      };
    }

    @Override
    public WebResponse refuse(int status, String problem) {
      return text(status, "refused: " + problem);
    }

    private static WebResponse text(int status, String body) {
      return new WebResponse(
          status,
          Map.of("Content-Type", "text/plain", "Cache-Control", "no-cache"),
          ByteString.copyFromUtf8(body));
    }
  }

  private Socket open(String from, String request) throws IOException {
    return FakeRunServer.open(from, server.getPort(), request);
  }

  private String answer(String from, String request) throws IOException {
    try (var socket = open(from, request)) {
      return new String(socket.getInputStream().readAllBytes(), UTF_8).toLowerCase(Locale.ROOT);
    }
  }

  private String answer(String request) throws IOException {
    return answer("127.0.0.1", request);
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\n" + CLOSE + "\r\n";
  }

  private static String post(int length, String body) {
    return String.format(
        Locale.ROOT, "POST /form HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", CLOSE, length, body);
  }

  @Test
  @DisplayName("given a complete request, then the page has all of it, and its headers are sent")
  void pages() throws Exception {
    assertThat(answer(get("/a%20b?c=d").replace("Host", "X-One: 1\r\nx-one: 2\r\nHost")))
        .startsWith("http/1.1 200 ok\r\n")
        .contains("content-type: text/plain\r\n", "cache-control: no-cache\r\n")
        .endsWith("\r\n\r\nget /a%20b?c=d 1,2 ");
    assertThat(answer(post(3, "a=b"))).endsWith("post /form  a=b");
    assertThat(answer(get("/").replace("GET /", "GET http://localhost/x"))).endsWith("get /x  ");
    assertThat(answer(get("/x").replace("GET", "HEAD")))
        .contains("content-length: 9\r\n")
        .endsWith("\r\n\r\n");
    assertThat(answer(get("/known")))
        .startsWith("http/1.1 304 ")
        .contains("etag: \"1\"\r\n")
        .doesNotContain("content-length", "\r\ncontent-type", "cache-control");
  }

  @Test
  @DisplayName("given a request that is refused, then the port answers in its own form")
  void refused() throws Exception {
    assertThat(answer(get("/x").replace("localhost", "evil.example")))
        .startsWith("http/1.1 403 ")
        .contains("refused: this server does not answer under the name");
    assertThat(answer(get("/{}"))).startsWith("http/1.1 400 ").contains("refused: the address");
    assertThat(answer(get("/x").replace("Host", "Host: x\r\nHost"))).startsWith("http/1.1 400 ");
    assertThat(answer(post(MAX_BODY + 1, ""))).startsWith("http/1.1 413 ").contains("refused: ");
    assertThat(answer(get("/fails"))).startsWith("http/1.1 500 ").contains("refused: internal");
  }

  @Test
  @DisplayName(
      "given forms that do not end, when another client sends one, then it is answered [security-M3]")
  void slowForms() throws Exception {
    var slow = new ArrayList<Socket>();
    try {
      while (slow.size() < PageHandler.MAX_OPEN + 2) {
        slow.add(open("127.0.0.2", post(MAX_BODY, "x")));
      }
      assertThat(answer(post(1, "y"))).startsWith("http/1.1 200 ");
    } finally {
      for (var each : slow) {
        each.close();
      }
    }
  }

  @Test
  @DisplayName(
      "given a network whose pages take its places, then its next page is refused, also after its"
          + " clients have gone, but no page of others")
  void places() throws Exception {
    var open = new ArrayList<Socket>();
    while (open.size() < PageHandler.MAX_OPEN_PER_NETWORK) {
      open.add(open("127.0.0.2", get("/waits")));
    }
    waiting.acquire(PageHandler.MAX_OPEN_PER_NETWORK);
    assertThat(answer("127.0.0.2", get("/x")))
        .startsWith("http/1.1 429 ")
        .contains("retry-after: 1\r\n", "refused: too many");
    assertThat(answer(get("/x"))).startsWith("http/1.1 200 ");
    for (var each : open) {
      each.close();
    }
    assertThat(answer("127.0.0.2", get("/x"))).as("work goes on").startsWith("http/1.1 429 ");
    free.release(PageHandler.MAX_OPEN_PER_NETWORK);
    while (!answer("127.0.0.2", get("/x")).startsWith("http/1.1 200 ")) {
      Thread.onSpinWait();
    }
  }
}
