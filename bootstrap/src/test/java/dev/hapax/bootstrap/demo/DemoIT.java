package dev.hapax.bootstrap.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("nightly")
class DemoIT {
  @TempDir private Path temporary = Path.of("");

  private HapaxProcess demo(String... options) {
    var arguments = Stream.concat(Stream.of("demo"), Stream.of(options)).toArray(String[]::new);
    return HapaxProcess.start(
        Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary), arguments);
  }

  @Test
  void chargesEachOrderOnceAndLeavesNothing() throws IOException {
    try (var demo = demo()) {
      demo.awaitOutput(line -> line.startsWith("3."));
      var processes = descendants(demo);

      assertThat(demo.awaitExit()).isZero();

      assertThat(demo.output())
          .anyMatch(line -> line.contains("Ann, again") && line.endsWith("replayed"))
          .contains(
              "  = the handler ran twice, order-2 was charged once, and rejected once for a low"
                  + " fence")
          .anyMatch(line -> line.matches("  Eve, again .*, the same run"))
          .anyMatch(line -> line.matches("  worker-\\d +charge, attempt 1 starts +fence \\d+"))
          .anyMatch(line -> line.matches("  worker-\\d +charge, attempt 1 completes +rejected: .*"))
          .anyMatch(line -> line.matches("  worker-\\d +charge, attempt 2 completes +stored: .*"))
          .contains(
              "  = the handler ran twice, order-3 was charged once;"
                  + " stored: reserve once, charge once, ship once")
          .anyMatch(line -> line.matches("  1 click +starts order-4 20 EUR +CREATED: run_\\w+"))
          .anyMatch(line -> line.matches("  4 clicks .* REJECTED: run_\\w+ is WAITING"))
          .anyMatch(line -> line.matches("  Fay +gets the owner +run_\\w+ WAITING"))
          .anyMatch(line -> line.matches("  Fay +starts .* SUPERSEDED: run_\\w+ owns the token"))
          .anyMatch(line -> line.matches("  Fay +gets the first run +run_\\w+ CANCELLED"))
          .anyMatch(line -> line.matches("  Gus .* SIGNALED: run_\\w+"))
          .anyMatch(line -> line.matches("  Hal .* USED_EXISTING: run_\\w+"))
          .anyMatch(line -> line.matches("  Hal .* \"receipt \\d+ 25 EUR\""))
          .contains("  = the handler ran once, order-4 was charged once")
          .contains("  = 8 starts, 2 runs created, 1 completed")
          .anyMatch(line -> line.matches("  clerk-\\d +begins .* granted, fence \\d+"))
          .anyMatch(line -> line.matches("  3 clerks +begin .* claim_failed"))
          .contains(
              "  Hapax        the lease expired                     the order is placed again")
          .anyMatch(line -> line.matches("  Jon +completes +the order is collected"))
          .anyMatch(line -> line.matches("  clerk-\\d +completes +claim_lost: .*"))
          .anyMatch(line -> line.matches("  mailer +SendReceipt .* run_\\w+"))
          .contains(
              "  = the handler ran twice, order-5 was charged once, and rejected once for a low"
                  + " fence")
          .contains("  = 1 receipt was sent")
          .contains("  Every order was charged exactly once.");
      assertThat(processes).isNotEmpty();
      assertThat(demo.errors()).noneMatch(line -> line.contains("ERROR"));
      assertNothingIsLeft(processes);
    }
  }

  @Test
  void leavesNothingWhenItIsStoppedInTheMiddle() throws IOException {
    try (var demo = demo()) {
      demo.awaitOutput(line -> line.contains("is frozen"));
      var processes = descendants(demo);
      demo.terminate();

      assertThat(demo.awaitExit()).isEqualTo(130);

      assertThat(demo.output()).noneMatch(line -> line.contains("exactly once"));
      assertNothingIsLeft(processes);
    }
  }

  @Test
  void leavesTheConsoleOpenUntilItIsStopped() throws Exception {
    try (var demo = demo("--keep");
        var browser = HttpClient.newHttpClient()) {
      var early = demo.awaitOutput(text -> text.startsWith("  console "));
      assertThat(demo.output()).noneMatch(text -> text.contains("charged exactly once"));
      var console = URI.create(early.substring(early.indexOf("http")));
      var overview =
          browser.send(
              HttpRequest.newBuilder(console.resolve("/w/default/")).build(),
              BodyHandlers.ofString());
      assertThat(overview.statusCode()).isEqualTo(200);

      var line = demo.awaitOutput(text -> text.startsWith("  a run that waits"));
      assertThat(demo.output()).filteredOn(early::equals).hasSize(2);
      var processes = descendants(demo);
      var page = URI.create(line.substring(line.indexOf("http")));

      var answer = browser.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("waits for", "confirmed");
      assertThat(demo.output()).contains("  Every order was charged exactly once.");
      demo.awaitOutput(text -> text.startsWith("  hapax run explain run_"));
      demo.terminate();
      assertThat(demo.awaitExit()).isZero();
      assertNothingIsLeft(processes);
    }
  }

  private static List<ProcessHandle> descendants(HapaxProcess demo) {
    return ProcessHandle.of(demo.pid()).orElseThrow().descendants().toList();
  }

  private void assertNothingIsLeft(List<ProcessHandle> processes) throws IOException {
    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(ProcessHandle.allProcesses())
        .extracting(process -> process.info().commandLine().orElse(""))
        .noneMatch(line -> line.contains("postgres") && line.contains(temporary.toString()));
    try (var left = Files.list(temporary)) {
      assertThat(left).filteredOn(path -> path.toString().contains("hapax-demo")).isEmpty();
    }
  }
}
