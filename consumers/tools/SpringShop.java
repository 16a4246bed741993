import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs the application in {@code consumers/spring} as its users and its platform would: {@code java
 * SpringShop.java JAVA CLASSPATH}. It calls the server in HAPAX_SERVER through a proxy, which can
 * go away.
 */
final class SpringShop {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final Pattern READY = Pattern.compile("shop: ready on ([0-9]+)");

  private final HttpClient http = HttpClient.newHttpClient();
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
  private final String java;
  private final String classPath;
  private String address = "";
  private Thread reader;

  SpringShop(String java, String classPath) {
    this.java = java;
    this.classPath = classPath;
  }

  public static void main(String[] args) throws Exception {
    new SpringShop(args[0], args[1]).run();
  }

  private void run() throws Exception {
    try (var proxy = new Proxy(System.getenv("HAPAX_SERVER"))) {
      var shop =
          start(
              proxy.address(),
              "shop.Shop",
              "--server.port=0",
              "--management.endpoints.web.exposure.include=health,metrics",
              "--management.endpoint.health.show-details=always",
              "--management.endpoint.health.probes.enabled=true",
              "--management.tracing.sampling.probability=1",
              "--management.otlp.metrics.export.enabled=false");
      try {
        reader = Thread.startVirtualThread(() -> shop.inputReader().lines().forEach(output::add));
        var ready = READY.matcher(await("shop: ready on"));
        if (!ready.find()) {
          throw new AssertionError("no port");
        }
        address = "http://127.0.0.1:" + ready.group(1);
        expect("an order", 200, post("/orders", ""));
        await("shop: step begins");
        payments();
        monitoring();
        outage(proxy);
        stops(shop);
      } catch (AssertionError | RuntimeException failed) {
        output.forEach(System.out::println);
        throw failed;
      } finally {
        shop.destroyForcibly();
      }
    }
    System.out.println("the application in Spring Boot is idempotent, monitored and drained");
  }

  private Process start(String server, String... command) throws IOException {
    var line = new ArrayList<>(List.of(java, "-cp", classPath));
    line.addAll(List.of(command));
    var builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put("HAPAX_SERVER", server);
    return builder.start();
  }

  private String await(String text) throws InterruptedException {
    var seen = new ArrayList<String>();
    while (true) {
      var line = output.poll(120, TimeUnit.SECONDS);
      if (line == null) {
        throw new AssertionError("the application did not say \"" + text + "\": " + seen);
      }
      seen.add(line);
      if (line.contains(text)) {
        return line;
      }
    }
  }

  private void payments() throws Exception {
    var key = UUID.randomUUID().toString();
    var first = pay(key, "10");
    expect("the first payment", 201, first);
    var replay = pay(key, "10");
    expect("its replay", 201, replay);
    check(
        "its replay says so",
        replay.headers().firstValue("Idempotent-Replayed").equals(Optional.of("true")));
    check("the receipt is the same", replay.body().equals(first.body()));
    check(
        "the content type is the same",
        replay
            .headers()
            .firstValue("Content-Type")
            .equals(first.headers().firstValue("Content-Type")));
    expect("another request with this key", 422, pay(key, "11"));
    expect("no key", 400, post("/payments", "10"));

    var slow = UUID.randomUUID().toString();
    var running = http.sendAsync(request("/payments", "slow", slow), BodyHandlers.ofString());
    await("shop: slow payment begins");
    expect("a payment in progress", 409, pay(slow, "slow"));
    expect("the slow payment", 201, running.get(30, TimeUnit.SECONDS));
  }

  private void monitoring() throws Exception {
    var health = get("/actuator/health");
    expect("the health", 200, health);
    check("the health has hapax: " + health.body(), isHapax(health, "UP"));
    var texts = new StringBuilder();
    for (var meter : List.of("hapax.calls", "hapax.tasks", "hapax.worker.slots", "hapax.http")) {
      var found = get("/actuator/metrics/" + meter);
      expect("the meter " + meter, 200, found);
      texts.append(found.body());
    }
    for (var label : List.of("BeginOperation", "spring-order", "weigh", "busy", "replayed")) {
      check(
          "the meters have " + label + ": " + texts, texts.toString().contains('"' + label + '"'));
    }
    check(
        "the meters have no ids: " + texts,
        !texts.toString().matches("(?s).*([0-9a-f]{8}-[0-9a-f]{4}|run_|/payments).*"));
  }

  private static boolean isHapax(HttpResponse<String> health, String status) {
    return health.body().matches("(?s).*\"hapax\":\\{[^{]*\"status\":\"" + status + "\".*")
        || health
            .body()
            .matches(
                "(?s).*\"hapax\":\\{(\"details\":\\{[^}]*\\},)?\"status\":\"" + status + "\".*");
  }

  private void outage(Proxy proxy) throws Exception {
    proxy.stop();
    var key = UUID.randomUUID().toString();
    var refused = pay(key, "10");
    expect("a payment without a server", 503, refused);
    check("it has Retry-After", refused.headers().firstValue("Retry-After").isPresent());
    var health = get("/actuator/health");
    expect("the health without a server", 503, health);
    check("the health without a server: " + health.body(), isHapax(health, "DOWN"));
    expect("the readiness without a server", 200, get("/actuator/health/readiness"));
    proxy.start();
    expect("the payment after the outage", 201, pay(key, "10"));
  }

  /** SIGTERM while a step of 5 s runs. */
  private void stops(Process shop) throws Exception {
    var traced = HttpRequest.newBuilder(request("/orders", ""), (name, value) -> true);
    traced.header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01");
    var run = http.send(traced.build(), BodyHandlers.ofString());
    expect("the order", 200, run);
    await("shop: step begins");
    // not shop.destroy(), which closes its output
    shop.toHandle().destroy();
    check("the application ends in 30 s", shop.waitFor(30, TimeUnit.SECONDS));
    reader.join();
    var packed = start(System.getenv("HAPAX_SERVER"), "shop.Packed", run.body());
    var said = new String(packed.getInputStream().readAllBytes());
    check("the step was recorded: " + said, said.contains("packed in attempt 1"));
    var span = TRACE + " spring-order/pack";
    var spans = output.stream().filter(line -> line.contains(span)).toList();
    check("the step has one span, in the trace of the order: " + spans, spans.size() == 1);
  }

  private HttpRequest request(String path, String body, String... key) {
    var request =
        HttpRequest.newBuilder(URI.create(address + path)).POST(BodyPublishers.ofString(body));
    request.header("Content-Type", "text/plain");
    for (var each : key) {
      request.header("Idempotency-Key", each);
    }
    return request.build();
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return http.send(request(path, body), BodyHandlers.ofString());
  }

  private HttpResponse<String> pay(String key, String amount) throws Exception {
    return http.send(request("/payments", amount, key), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(address + path)).build(), BodyHandlers.ofString());
  }

  private static void expect(String what, int status, HttpResponse<String> response) {
    check(
        what + ": " + status + " (was " + response.statusCode() + " " + response.body() + ")",
        response.statusCode() == status);
  }

  private static void check(String what, boolean holds) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Carries connections to the server, unless it is stopped. */
  private static final class Proxy implements AutoCloseable {
    private final String host;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private ServerSocket listener;
    private final int ownPort;

    Proxy(String server) throws IOException {
      host = server.replaceFirst(":.*", "");
      port = Integer.parseInt(server.replaceFirst(".*:", ""));
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      ownPort = listener.getLocalPort();
      accept(listener);
    }

    String address() {
      return "127.0.0.1:" + ownPort;
    }

    void start() throws IOException {
      listener = new ServerSocket(ownPort, 50, InetAddress.getLoopbackAddress());
      accept(listener);
    }

    void stop() throws IOException {
      listener.close();
      for (var socket : open) {
        socket.close();
      }
    }

    private void accept(ServerSocket from) {
      Thread.startVirtualThread(
          () -> {
            try {
              while (true) {
                var near = from.accept();
                var far = new Socket(host, port);
                open.add(near);
                open.add(far);
                carry(near, far);
                carry(far, near);
              }
            } catch (IOException closed) {
              // stopped
            }
          });
    }

    private static void carry(Socket from, Socket to) {
      Thread.startVirtualThread(
          () -> {
            try (from;
                to) {
              from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException closed) {
              // the other side has ended
            }
          });
    }

    @Override
    public void close() {
      try {
        stop();
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
    }
  }
}
