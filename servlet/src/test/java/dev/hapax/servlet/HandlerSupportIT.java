package dev.hapax.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.hapax.client.Observer.HttpOutcome;
import dev.hapax.client.Operation;
import io.grpc.Status;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.Part;
import jakarta.servlet.http.WebConnection;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What handlers do with a request and a response, in the container on the class path. */
@Timeout(60)
class HandlerSupportIT {

  private static final int CONFLICT = 409;
  private static final int MIB = 1024 * 1024;
  // Jetty misses a timeout that passes before the handler has returned
  private static final int TIMEOUT_MILLIS = 100;

  private static FilterScene scene;
  private static Handlers handlers;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws Exception {
    scene =
        new FilterScene(
            settings -> settings.rule(request -> Optional.of(rule(request.getRequestURI()))));
    handlers = scene.handlers();
  }

  private static HandlerRule rule(String path) {
    return path.equals("/open") ? new HandlerRule(false, Operation::failOpen) : HandlerRule.DEFAULT;
  }

  @AfterAll
  static void stop() throws Exception {
    scene.close();
  }

  private static void assertReplayed(HttpResponse<String> first, HttpRequest request) {
    HttpResponse<String> second = scene.send(request);
    assertThat(second.statusCode()).isEqualTo(first.statusCode());
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.headers().firstValue("Content-Type"))
        .isEqualTo(first.headers().firstValue("Content-Type"));
    assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
  }

  private static HttpRequest form(String path, String key, String type, byte[] body) {
    return scene
        .request(path)
        .header("Idempotency-Key", key)
        .header("Content-Type", type)
        .POST(BodyPublishers.ofByteArray(body))
        .build();
  }

  @Test
  @DisplayName("given no key, then the handler runs each time, and nothing is recorded")
  void withoutKey() {
    handlers.on(
        "/free",
        (request, response) ->
            response
                .getWriter()
                .print(request.getParameter("a") + IdempotencyFilter.claim(request)));
    var request =
        scene
            .request("/free")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("a=1"))
            .build();
    for (int i = 0; i < 2; i++) {
      assertThat(scene.send(request).body()).isEqualTo("1Optional.empty");
    }
    assertThat(handlers.effects("/free")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a form, then its parameters follow those of the query")
  void parameters() {
    handlers.on(
        "/form",
        (request, response) -> {
          Map<String, String> all = new TreeMap<>();
          request
              .getParameterMap()
              .forEach((name, values) -> all.put(name, Arrays.toString(values)));
          response.setCharacterEncoding("UTF-8");
          response.getWriter().print(all + request.getParameter("a"));
        });
    var request =
        form(
            "/form?a=1&q=%E2%82%AC",
            "form",
            "application/x-www-form-urlencoded",
            "a=2&b=x+y%26&c&d=%E2%82%AC".getBytes(StandardCharsets.UTF_8));
    HttpResponse<String> first = scene.send(request);
    assertThat(first.body()).isEqualTo("{a=[1, 2], b=[x y&], c=[], d=[€], q=[€]}1");
    assertReplayed(first, request);
  }

  @Test
  @DisplayName(
      "given multipart/form-data, then the handler reads its parts and its fields [clients-L7]")
  void multipart() {
    Path saved = folder.resolve("photo");
    handlers.on(
        "/upload",
        (request, response) -> {
          Part photo = request.getPart("photo");
          photo.write(saved.toString());
          StringBuilder all = new StringBuilder();
          for (Part part : request.getParts()) {
            all.append(part.getName()).append(' ').append(part.getSize()).append(' ');
          }
          response.setCharacterEncoding("UTF-8");
          response
              .getWriter()
              .print(
                  all
                      + photo.getSubmittedFileName()
                      + " "
                      + photo.getContentType()
                      + " "
                      + photo.getHeader("x-more")
                      + " "
                      + request.getParameter("title")
                      + " "
                      + request.getParameter("photo")
                      + " "
                      + request.getParameter("q"));
        });
    String body =
        String.join(
            "\r\n",
            "preamble",
            "--b 1",
            "Content-Disposition: form-data; name=\"title\"",
            "",
            "Café",
            "--b 1",
            "Content-Disposition: form-data; name=\"photo\"; filename=\"é;1.png\"",
            "Content-Type: image/png",
            "X-More: yes",
            "",
            "\0",
            "--b",
            "",
            "--b 1--",
            "");
    var request =
        form(
            "/upload?q=1",
            "upload",
            "multipart/form-data; boundary=\"b 1\"",
            body.getBytes(StandardCharsets.UTF_8));
    HttpResponse<String> first = scene.send(request);
    assertThat(first.body()).isEqualTo("title 5 photo 8 é;1.png image/png yes Café null 1");
    assertThat(saved).hasBinaryContent("\0\r\n--b\r\n".getBytes(StandardCharsets.UTF_8));
    assertReplayed(first, request);
  }

  @Test
  @DisplayName("given a writer with a charset, then the content type names it, also in a replay")
  void writer() {
    handlers.on(
        "/writer",
        (request, response) -> {
          response.setContentType("text/plain;charset=UTF-8");
          response.getWriter().print("lost");
          response.reset();
          response.setContentType("text/plain");
          response.setCharacterEncoding("ISO-8859-1");
          response.getWriter().print("é");
          response.setContentType("text/html;charset=UTF-8");
          response.flushBuffer();
        });
    var request = scene.post("/writer", "writer", "30");
    HttpResponse<byte[]> first = scene.sendForBytes(request);
    assertThat(first.body()).isEqualTo("é".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(first.headers().firstValue("Content-Type").orElse("").replace(" ", ""))
        .isEqualToIgnoringCase("text/html;charset=iso-8859-1");
    assertReplayed(scene.send(request), request);
  }

  @Test
  @DisplayName(
      "given a response of 1 MiB, then it is streamed, and duplicates get 409 [clients-L7]")
  void large() throws Exception {
    byte[] content = new byte[MIB];
    Arrays.fill(content, (byte) 'x');
    CountDownLatch received = new CountDownLatch(1);
    handlers.on(
        "/large",
        (request, response) -> {
          response.setContentLength(MIB);
          response.setContentType("application/octet-stream");
          for (int at = 0; at < MIB; at += MIB / 16) {
            response.getOutputStream().write(content, at, MIB / 16);
            if (at == MIB / 2) {
              received.await();
            }
          }
        });
    var stream =
        HttpClient.newHttpClient()
            .send(scene.post("/large", "large", "30"), BodyHandlers.ofInputStream());
    assertThat(stream.headers().firstValue("Content-Length")).contains(String.valueOf(MIB));
    try (InputStream in = stream.body()) {
      byte[] head = in.readNBytes(MIB / 4);
      received.countDown();
      byte[] tail = in.readAllBytes();
      assertThat(head.length + tail.length).isEqualTo(MIB);
      assertThat(tail).containsOnly('x');
    }
    HttpResponse<String> second = scene.send(scene.post("/large", "large", "30"));
    assertThat(second.statusCode()).isEqualTo(CONFLICT);
    assertThat(second.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(handlers.effects("/large")).isEqualTo(1);
  }

  @Test
  @DisplayName("given a response whose record is above 256 KiB, then it is sent and not kept")
  void almostLarge() {
    String content = "x".repeat(250 * 1024);
    handlers.on("/almost", (request, response) -> response.getWriter().print(content));
    assertThat(scene.send(scene.post("/almost", "almost", "30")).body()).isEqualTo(content);
    assertThat(scene.send(scene.post("/almost", "almost", "30")).statusCode()).isEqualTo(CONFLICT);
  }

  @Test
  @DisplayName("given server-sent events, then each arrives when it is flushed, and none is kept")
  void events() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    handlers.on(
        "/events",
        (request, response) -> {
          response.setContentType("text/event-stream");
          response.getWriter().print("data: 1\n\n");
          response.getWriter().flush();
          received.await();
          response.getWriter().print("data: 2\n\n");
        });
    HttpResponse<InputStream> stream =
        HttpClient.newHttpClient()
            .send(scene.post("/events", "events", "30"), BodyHandlers.ofInputStream());
    try (InputStream in = stream.body()) {
      assertThat(in.readNBytes(9)).isEqualTo("data: 1\n\n".getBytes(StandardCharsets.UTF_8));
      received.countDown();
      assertThat(in.readAllBytes()).isEqualTo("data: 2\n\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(scene.send(scene.post("/events", "events", "30")).statusCode()).isEqualTo(CONFLICT);
  }

  private static void print(AsyncContext async, String text) {
    try {
      async.getResponse().getWriter().print(text);
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }

  @Test
  @DisplayName("given a handler that completes later, then the key is held until then [clients-L7]")
  void completes() {
    CompletableFuture<AsyncContext> started = new CompletableFuture<>();
    handlers.on(
        "/later",
        (request, response) -> {
          response.setHeader("X-Run", "1");
          started.complete(request.startAsync());
        });
    var request = scene.post("/later", "later", "30");
    var first = scene.sendAsync(request);
    AsyncContext async = started.join();
    assertThat(scene.send(request).statusCode()).isEqualTo(CONFLICT);
    print(async, "done");
    async.complete();
    assertThat(first.join().body()).isEqualTo("done");
    assertThat(first.join().headers().firstValue("X-Run")).contains("1");
    assertReplayed(first.join(), request);
    assertThat(handlers.effects("/later")).isEqualTo(1);
  }

  @Test
  @DisplayName("given a handler that completes before it returns, then its response is recorded")
  void completesAtOnce() {
    handlers.on(
        "/at-once",
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          print(async, "done");
          request.getAsyncContext().complete();
        });
    var request = scene.post("/at-once", "at-once", "30");
    HttpResponse<String> first = scene.send(request);
    assertThat(first.body()).isEqualTo("done");
    assertReplayed(first, request);
  }

  @Test
  @DisplayName(
      "given a handler that dispatches its result, as DeferredResult does, then it is recorded [clients-L7]")
  void dispatches() {
    CompletableFuture<AsyncContext> started = new CompletableFuture<>();
    handlers.on(
        "/deferred",
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.setContentType("text/plain");
            response.getWriter().print(request.getAttribute("result"));
          } else {
            started.complete(request.startAsync(request, response));
          }
        });
    var request = scene.post("/deferred", "deferred", "30");
    var first = scene.sendAsync(request);
    AsyncContext async = started.join();
    assertThat(scene.send(request).statusCode()).isEqualTo(CONFLICT);
    async.getRequest().setAttribute("result", "done");
    async.dispatch();
    assertThat(first.join().body()).isEqualTo("done");
    assertReplayed(first.join(), request);
    assertThat(handlers.effects("/deferred")).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "given a handler that dispatches twice, when it fails, then the key is free; else it is recorded")
  void dispatchesAgain() {
    handlers.on(
        "/again",
        (request, response) -> {
          if (request.getAttribute("round") == null) {
            request.setAttribute("round", 1);
            request.startAsync(request, response).dispatch();
          } else if (Integer.valueOf(1).equals(request.getAttribute("round"))) {
            request.setAttribute("round", 2);
            request.startAsync(request, response).dispatch();
          } else if (request.getHeader("X-Fail") != null) {
            throw new IllegalStateException("no");
          } else {
            response.getWriter().print("done");
          }
        });
    var failing =
        scene
            .request("/again")
            .header("Idempotency-Key", "again")
            .header("X-Fail", "yes")
            .POST(BodyPublishers.noBody())
            .build();
    assertThat(scene.send(failing).statusCode()).isEqualTo(500);
    var request = scene.post("/again", "again", "");
    HttpResponse<String> first = scene.send(request);
    assertThat(first.body()).isEqualTo("done");
    assertReplayed(first, request);
  }

  @Test
  @DisplayName("given a handler that times out, then the key is free")
  void timesOut() {
    handlers.on(
        "/slow",
        (request, response) -> {
          response.getWriter().print("half");
          request.startAsync().setTimeout(TIMEOUT_MILLIS);
        });
    for (int i = 1; i <= 2; i++) {
      HttpResponse<String> response;
      do {
        // the container responds before the key is free
        response = scene.send(scene.post("/slow", "slow", "30"));
      } while (response.statusCode() == CONFLICT);
      assertThat(response.statusCode()).isEqualTo(500);
      assertThat(response.body()).doesNotStartWith("half");
      assertThat(handlers.effects("/slow")).isEqualTo(i);
    }
  }

  @Test
  @DisplayName("given a listener that completes after a timeout, then its response is recorded")
  void completesAfterTimeout() {
    handlers.on(
        "/timeout",
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.setTimeout(TIMEOUT_MILLIS);
          async.addListener(
              new AsyncListener() {
                @Override
                public void onTimeout(AsyncEvent event) {
                  ((HttpServletResponse) event.getAsyncContext().getResponse()).setStatus(202);
                  print(event.getAsyncContext(), "late");
                  event.getAsyncContext().complete();
                }

                @Override
                public void onComplete(AsyncEvent event) {}

                @Override
                public void onError(AsyncEvent event) {}

                @Override
                public void onStartAsync(AsyncEvent event) {}
              });
        });
    var request = scene.post("/timeout", "timeout", "30");
    HttpResponse<String> first = scene.send(request);
    assertThat(first.statusCode()).isEqualTo(202);
    assertThat(first.body()).isEqualTo("late");
    assertReplayed(first, request);
  }

  @Test
  @DisplayName("given an async handler with 1 MiB, then it arrives whole and is not kept")
  void largeAndAsync() {
    handlers.on(
        "/large-async",
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.start(
              () -> {
                print(async, "x".repeat(MIB));
                async.complete();
              });
        });
    var request = scene.post("/large-async", "large-async", "30");
    assertThat(scene.send(request).body()).hasSize(MIB);
    assertThat(scene.send(request).statusCode()).isEqualTo(CONFLICT);
  }

  @Test
  @DisplayName("given a handler that reads the stream, then it reads the whole body")
  void reads() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "content");
    handlers.on(
        "/copy",
        (request, response) -> {
          var in = request.getInputStream();
          while (in.isReady() && !in.isFinished()) {
            response.getOutputStream().write(in.read());
          }
        });
    HttpResponse<String> first =
        scene.send(
            scene
                .request("/copy")
                .header("Idempotency-Key", "copy")
                .POST(BodyPublishers.ofFile(file))
                .build());
    assertThat(first.body()).isEqualTo("content");
  }

  @Test
  @DisplayName(
      "given that Hapax is unreachable, then 503 and a time to wait; with failOpen the handler runs")
  void unreachable() {
    handlers.on("/closed", (request, response) -> response.getWriter().print("done"));
    handlers.on("/open", (request, response) -> response.getWriter().print("done"));
    var unused = scene.outcomes();
    scene.refuse(Status.UNAVAILABLE.asRuntimeException());
    try {
      HttpResponse<String> closed = scene.send(scene.post("/closed", "closed", "30"));
      assertThat(closed.statusCode()).isEqualTo(503);
      assertThat(closed.headers().firstValueAsLong("Retry-After").getAsLong()).isPositive();
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> open = scene.send(scene.post("/open", "open", "30"));
        assertThat(open.body()).isEqualTo("done");
        assertThat(open.headers().firstValue("Idempotent-Replayed")).isEmpty();
      }
    } finally {
      scene.refuse(null);
    }
    assertThat(handlers.effects("/closed")).isZero();
    assertThat(handlers.effects("/open")).isEqualTo(2);
    assertThat(scene.outcomes())
        .containsExactly(HttpOutcome.UNAVAILABLE, HttpOutcome.UNTRACKED, HttpOutcome.UNTRACKED);
  }

  /** Answers one byte by one byte. */
  public static final class Echo implements HttpUpgradeHandler {
    @Override
    public void init(WebConnection connection) {
      try {
        int received = connection.getInputStream().read();
        connection.getOutputStream().write(received);
        connection.getOutputStream().flush();
        connection.close();
      } catch (Exception broken) {
        throw new IllegalStateException(broken);
      }
    }

    @Override
    public void destroy() {}
  }

  @Test
  @DisplayName("given an upgrade, then its bytes pass untouched, and nothing is kept")
  void upgrades() throws IOException {
    // in Jetty this handler receives no byte, and why is not known
    assumeThat(scene.version()).containsIgnoringCase("tomcat");
    handlers.on(
        "/upgrade",
        (request, response) -> {
          response.setStatus(101);
          response.setHeader("Upgrade", "echo");
          response.setHeader("Connection", "Upgrade");
          request.upgrade(Echo.class);
        });
    String head =
        String.join(
            "\r\n",
            "POST /upgrade HTTP/1.1",
            "Host: localhost",
            "Connection: Upgrade",
            "Upgrade: echo",
            "Content-Length: 0",
            "Idempotency-Key: upgrade",
            "",
            "");
    assertThat(scene.exchange(head, "x")).startsWith("HTTP/1.1 101").endsWith("\r\n\r\nx");
    assertThat(scene.send(scene.post("/upgrade", "upgrade", "")).statusCode()).isEqualTo(CONFLICT);
  }
}
