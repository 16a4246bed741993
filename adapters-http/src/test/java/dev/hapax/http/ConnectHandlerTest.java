package dev.hapax.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import com.sun.net.httpserver.HttpServer;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConnectHandlerTest {
  private static final String GET_RUN = "/hapax.v1.RunService/GetRun";
  private static final String AWAIT_RUN = "/hapax.v1.RunService/AwaitRun";
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final List<Metadata> received = new CopyOnWriteArrayList<>();
  private final List<InetSocketAddress> callers = new CopyOnWriteArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final String name = InProcessServerBuilder.generateName();
  private final ManagedChannel channel =
      InProcessChannelBuilder.forName(name).directExecutor().build();
  private final Server grpc;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer http;

  ConnectHandlerTest() throws IOException {
    var runs = new Runs();
    grpc =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(ServerInterceptors.intercept(runs, new Recorder()))
            .build();
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    http.createContext(
        "/",
        new ConnectHandler(
            List.of(runs.bindService().getServiceDescriptor()),
            exchange -> {
              callers.add(exchange.getRemoteAddress());
              return channel;
            }));
    http.start();
  }

  /** Answers with what the request names. */
  private static final class Runs extends RunServiceGrpc.RunServiceImplBase {
    @Override
    public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> answer) {
      switch (request.getRunId()) {
        case "busy" -> answer.onError(StatusProto.toStatusRuntimeException(busy()));
        case "broken" -> answer.onError(new IllegalStateException("secret"));
        default -> {
          answer.onNext(
              GetRunResponse.newBuilder()
                  .setRun(Run.newBuilder().setId(request.getRunId()))
                  .build());
          answer.onCompleted();
        }
      }
    }

    /** Never answers. */
    @Override
    public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> answer) {}

    private static Status busy() {
      var after = RetryInfo.newBuilder().setRetryDelay(Duration.newBuilder().setSeconds(3));
      return Status.newBuilder()
          .setCode(8)
          .setMessage("busy")
          .addDetails(Any.pack(after.build()))
          .build();
    }
  }

  private final class Recorder implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      received.add(headers);
      return next.startCall(call, headers);
    }
  }

  @BeforeEach
  void start() throws IOException {
    grpc.start();
  }

  @AfterEach
  void stop() {
    http.stop(0);
    threads.shutdownNow();
    channel.shutdownNow();
    grpc.shutdownNow();
    client.close();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:%d%s".formatted(http.getAddress().getPort(), path)))
        .header("Content-Type", "application/json");
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    var request = to(path).POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  private static String header(HttpResponse<?> answer, String header) {
    return answer.headers().firstValue(header).orElse("");
  }

  @Test
  @DisplayName("given JSON, when a method is called, then the answer is JSON and no cache keeps it")
  void json() throws Exception {
    var answer = post(GET_RUN, "{\"run_id\": \"r1\"}", "Connect-Protocol-Version", "1");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"run\":{\"id\":\"r1\"}}");
    assertThat(header(answer, "Content-Type")).isEqualTo("application/json");
    assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
    assertThat(callers.getFirst().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  @DisplayName("given protobuf, when a method is called, then the answer is protobuf")
  void proto() throws Exception {
    var request = GetRunRequest.newBuilder().setRunId("r1").build();
    var answer =
        client.send(
            to(GET_RUN)
                .setHeader("Content-Type", "application/proto")
                .POST(BodyPublishers.ofByteArray(request.toByteArray()))
                .build(),
            BodyHandlers.ofByteArray());
    assertThat(header(answer, "Content-Type")).isEqualTo("application/proto");
    assertThat(GetRunResponse.parseFrom(answer.body()).getRun().getId()).isEqualTo("r1");
  }

  @Test
  @DisplayName(
      "given credentials, when a method is called, then they and nothing else are passed on")
  void credentials() throws Exception {
    var _ =
        post(GET_RUN, "{}", "Authorization", "Bearer k", "Cookie", "a=b", "hapax-caller-bin", "AA");
    var headers = received.getFirst();
    assertThat(headers.get(AUTHORIZATION)).isEqualTo("Bearer k");
    assertThat(headers.keys()).doesNotContain("cookie", "hapax-caller-bin");
  }

  @Test
  @DisplayName("given an error with a time to wait, then the status is 429 with Retry-After")
  void retryAfter() throws Exception {
    var answer = post(GET_RUN, "{\"runId\": \"busy\"}");
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(header(answer, "Retry-After")).isEqualTo("3");
    assertThat(answer.body())
        .startsWith("{\"code\":\"resource_exhausted\",\"message\":\"busy\",\"details\":[")
        .contains("\"debug\":{\"retryDelay\":\"3s\"}");
  }

  @Test
  @DisplayName("given an unexpected error, then the answer says nothing of it")
  void unexpected() throws Exception {
    var answer = post(GET_RUN, "{\"runId\": \"broken\"}");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("secret", "Exception");
  }

  @Test
  @DisplayName("given a timeout, when the call takes longer, then the status is 504")
  void timeout() throws Exception {
    var answer = post(AWAIT_RUN, "{}", "Connect-Timeout-Ms", "50");
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.body()).contains("\"code\":\"deadline_exceeded\"");
    for (var wrong : List.of("-1", "1.5", "12345678901", "soon")) {
      assertThat(post(AWAIT_RUN, "{}", "Connect-Timeout-Ms", wrong).statusCode()).isEqualTo(400);
    }
  }

  @Test
  @DisplayName("given another HTTP method, path or type, then the status says so in JSON")
  void misuse() throws Exception {
    var get = send(to(GET_RUN).GET().build());
    assertThat(get.statusCode()).isEqualTo(405);
    assertThat(header(get, "Allow")).isEqualTo("POST");
    assertThat(send(to(GET_RUN).method("HEAD", BodyPublishers.noBody()).build()).statusCode())
        .isEqualTo(405);
    assertThat(post("/hapax.v1.RunService/Nothing", "{}").statusCode()).isEqualTo(404);
    assertThat(post("/", "{}").body()).contains("\"code\":\"unimplemented\"");
    assertThat(post("/hapax.v1.RunService%2FGetRun", "{}").statusCode()).isEqualTo(404);
    for (var type : List.of("text/plain", "application/x-www-form-urlencoded", "application/xml")) {
      var answer =
          send(
              to(GET_RUN)
                  .setHeader("Content-Type", type)
                  .POST(BodyPublishers.ofString("{}"))
                  .build());
      assertThat(answer.statusCode()).isEqualTo(415);
      assertThat(header(answer, "Accept-Post")).contains("application/json");
    }
    assertThat(post(GET_RUN, "{}", "Connect-Protocol-Version", "2").statusCode()).isEqualTo(400);
    assertThat(post(GET_RUN, "{}", "Content-Encoding", "gzip").statusCode()).isEqualTo(501);
    assertThat(post(GET_RUN, "{}", "Origin", "https://example.com").statusCode()).isEqualTo(403);
    assertThat(post("/hapax.v1.RunService/StartRunStream", "{}").statusCode()).isEqualTo(501);
    assertThat(received).isEmpty();
  }

  @Test
  @DisplayName("given a typo, then it is ignored, and found by a strict request")
  void strict() throws Exception {
    assertThat(post(GET_RUN, "{\"run\": \"r\"}").statusCode()).isEqualTo(200);
    var answer = post(GET_RUN, "{\"run\": \"r\"}", "Hapax-Strict", "1");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("run");
  }

  @Test
  @DisplayName("given a body above 1 MiB, with or without its length, then the status is 413")
  void tooLarge() throws Exception {
    var body = "x".repeat((1 << 20) + 1);
    var chunked =
        BodyPublishers.ofInputStream(
            () -> new java.io.ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    for (BodyPublisher each : List.of(BodyPublishers.ofString(body), chunked)) {
      var answer = send(to(GET_RUN).POST(each).build());
      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(answer.body()).contains("\"code\":\"resource_exhausted\"");
    }
    var fits = "{\"runId\": \"%s\"}".formatted("x".repeat((1 << 20) - 20));
    assertThat(post(GET_RUN, fits).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given bodies that take all memory for them, then others are refused until they end")
  void memory() throws Exception {
    var bodies = new RequestBodies(100);
    var first = bodies.read(InputStream.nullInputStream());
    var held = bodies.read(new java.io.ByteArrayInputStream(new byte[90]));
    assertThat(refusal(bodies)).contains("\"code\":\"unavailable\"");
    bodies.release(first);
    assertThat(refusal(bodies)).contains("\"code\":\"unavailable\"");
    bodies.release(held);
    bodies.release(bodies.read(new java.io.ByteArrayInputStream(new byte[90])));
    assertThat(bodies.read(new java.io.ByteArrayInputStream(new byte[90]))).hasSize(90);
  }

  private static String refusal(RequestBodies bodies) {
    try {
      throw new AssertionError(
          bodies.read(new java.io.ByteArrayInputStream(new byte[11])).length + " bytes were read");
    } catch (RefusedRequestException e) {
      return e.answer().body().toStringUtf8();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("given as many open requests as allowed, then one more is refused with 429")
  void open() throws Exception {
    var waiting = new ArrayList<Socket>();
    try {
      for (var i = 0; i < ConnectHandler.MAX_OPEN; i++) {
        waiting.add(await());
      }
      while (received.size() < ConnectHandler.MAX_OPEN) {
        Thread.onSpinWait();
      }
      var answer = post(GET_RUN, "{}");
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(header(answer, "Retry-After")).isEqualTo("1");
    } finally {
      for (var socket : waiting) {
        socket.close();
      }
    }
  }

  private Socket await() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), http.getAddress().getPort());
    socket
        .getOutputStream()
        .write(
            "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
                .formatted(AWAIT_RUN)
                .getBytes(StandardCharsets.US_ASCII));
    return Objects.requireNonNull(socket);
  }

  @Test
  @DisplayName("given a server that has stopped, then the status is 503")
  void stopped() throws Exception {
    grpc.shutdownNow().awaitTermination();
    var answer = post(GET_RUN, "{}");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("\"code\":\"unavailable\"");
  }
}
