package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.document.CodeBlock;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The webhook receiver and the README of the Go kit, executed as their reader does. */
@Tag("long")
class GoExampleIT {
  private static final Path README = Path.of("kits", "go", "README.md");
  private static final List<String> PROGRAMS =
      List.of("worker", "start", "once", "order", "order_test");
  private static final int FIRST_WORKER_LINES = 20;

  // of its own: the first workers of all kits define the same run
  private static Deployment deployment = Deployment.shared();

  @BeforeAll
  static void startServer() {
    deployment = Deployment.start();
  }

  @AfterAll
  static void stopServer() {
    deployment.close();
  }

  @BeforeEach
  void install() throws IOException {
    Kit.GO.prepare();
  }

  private HapaxProcess start(String program, Map<String, String> more) {
    var environment = new HashMap<>(TestAccess.variables(deployment.target()));
    environment.putAll(more);
    return GoKit.start(program, environment);
  }

  /** The blocks of a page in this language that are executed. */
  private static List<CodeBlock> blocks(Path page, String language) {
    return CodeBlock.in(page).stream()
        .filter(block -> block.language().equals(language) && block.note().isEmpty())
        .toList();
  }

  /** The program of the README that compiles to this name. */
  private static String program(String name) {
    var programs = blocks(README, "go");
    assertThat(programs).hasSameSizeAs(PROGRAMS);
    return programs.get(PROGRAMS.indexOf(name)).text();
  }

  private List<String> output(String name) throws IOException {
    GoKit.compile(name, program(name));
    try (var process = start(name, Map.of())) {
      assertThat(process.awaitExit()).as("%s", process.errors()).isZero();
      return process.output();
    }
  }

  @Test
  @DisplayName("given the first worker of the README, then it is short, and its run ends once")
  void firstWorker() throws IOException {
    var source = program(PROGRAMS.getFirst());
    assertThat(source.lines().filter(line -> !line.isBlank()))
        .hasSizeLessThanOrEqualTo(FIRST_WORKER_LINES);
    GoKit.compile(PROGRAMS.getFirst(), source);
    try (var worker = start(PROGRAMS.getFirst(), Map.of())) {
      assertThat(output("start")).isEqualTo(blocks(README, "text").getFirst().lines());
      assertThat(worker.isAlive()).isTrue();
    }
  }

  @Test
  @DisplayName("given the operation of the README, then it charges once")
  void operation() throws IOException {
    assertThat(output("once")).isEqualTo(blocks(README, "text").get(1).lines());
  }

  @Test
  @DisplayName("given the workflow of the README, then its run ends, and its test passes")
  void workflow() throws IOException {
    assertThat(output("order")).isEqualTo(blocks(README, "text").get(2).lines());
    GoKit.test("order", program("order"), program("order_test"));
  }

  @Test
  @DisplayName("given the Go code beside that of another system, then it compiles")
  void besideOthers() throws IOException {
    var code = blocks(Path.of("docs", "coming-from.md"), "go").getFirst().text();
    GoKit.compile(
        "refund",
        """
        package main

        import (
        	"context"
        	"time"

        	"hapax.dev/kits/go/hapax"
        )

        type payments interface {
        	Pay(ctx context.Context, order, key string) (string, error)
        }

        var provider payments

        %s

        func main() { _ = hapax.Worker{Steps: map[string]hapax.Handler{"refund": refund}} }
        """
            .formatted(code));
  }

  @Test
  @DisplayName("given an event that is delivered twice, then it is taken once, and ships once")
  void webhook() throws Exception {
    try (var receiver = start("webhook", Map.of("LISTEN", "127.0.0.1:0"))) {
      var port = receiver.awaitOutput(line -> line.startsWith("listens on ")).split(" on ", 2)[1];
      var created = deliver(port, "e-1", "created");
      assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
      var paid = deliver(port, "e-2", "paid");
      var again = deliver(port, "e-2", "paid");
      assertThat(again.body()).isEqualTo(paid.body()).isEqualTo(created.body());
      assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
      var _ = receiver.awaitOutput(line -> line.startsWith("ships with the key "));
      receiver.terminate();
      assertThat(receiver.awaitExit()).as("%s", receiver.errors()).isZero();
      assertThat(receiver.output())
          .filteredOn(line -> line.startsWith("took "))
          .containsExactly("took created of 4711", "took paid of 4711");
      assertThat(receiver.output()).filteredOn(line -> line.startsWith("ships ")).hasSize(1);
    }
  }

  private static HttpResponse<String> deliver(String port, String key, String event)
      throws Exception {
    var body = "{\"order\": \"4711\", \"event\": \"%s\"}".formatted(event);
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/events"))
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString(body))
            .build();
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request, BodyHandlers.ofString());
    }
  }
}
