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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The webhook receiver and the README of the Go kit, executed as their reader does. */
class GoExampleIT {
  private static final String FIRST_WORKER = "worker";
  private static final int FIRST_WORKER_LINES = 20;

  private final Deployment deployment = Deployment.shared();

  @BeforeEach
  void install() throws IOException {
    Kit.GO.prepare();
  }

  private HapaxProcess start(String program, Map<String, String> more) {
    var environment = new HashMap<>(TestAccess.variables(deployment.target()));
    environment.putAll(more);
    return GoKit.start(program, environment);
  }

  /** The block with this name, or what it prints, which is the block after the next words. */
  private static String block(String name, String words) throws IOException {
    var pattern = "```go " + name + "\\n(.*?)```" + words;
    var readme = Files.readString(GoKit.SOURCES.resolve("README.md"));
    var found = Pattern.compile(pattern, Pattern.DOTALL).matcher(readme);
    assertThat(found.find()).as(name).isTrue();
    return found.group(found.groupCount());
  }

  private static String program(String name) throws IOException {
    return block(name, "");
  }

  private static List<String> printed(String name) throws IOException {
    return block(name, "\\s+It prints:\\s+```\\n(.*?)```").lines().toList();
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
    var source = program(FIRST_WORKER);
    assertThat(source.lines().filter(line -> !line.isBlank()))
        .hasSizeLessThanOrEqualTo(FIRST_WORKER_LINES);
    GoKit.compile(FIRST_WORKER, source);
    try (var worker = start(FIRST_WORKER, Map.of())) {
      assertThat(output("start")).isEqualTo(printed("start"));
      assertThat(worker.isAlive()).isTrue();
    }
  }

  @Test
  @DisplayName("given the operation of the README, then it charges once")
  void operation() throws IOException {
    assertThat(output("once")).isEqualTo(printed("once"));
  }

  @Test
  @DisplayName("given the Go code beside that of another system, then it compiles")
  void besideOthers() throws IOException {
    var page = Path.of("..", "docs", "coming-from.md");
    var code =
        CodeBlock.in(CodeBlock.root().relativize(page.toAbsolutePath().normalize())).stream()
            .filter(block -> block.note().equals("refund"))
            .map(CodeBlock::text)
            .findFirst()
            .orElseThrow();
    GoKit.compile(
        "refund",
        """
        package main

        import (
        	"context"
        	"time"

        	"hapax.dev/go/hapax"
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
