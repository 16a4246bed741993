package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.security.ApiKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One caller cannot take the places of all others at the HTTP port. */
@Tag("A8")
@Tag("long")
class HttpSharesIT {
  private static final int OF_ONE_ADDRESS = 512;
  private static final Pattern WAITING =
      Pattern.compile("hapax_polls_waiting\\{.*workspace=\"eu\".*} (\\d+)");

  private static String call(String method, ApiKey key, String body) {
    return String.format(
        Locale.ROOT,
        "POST /hapax.v1.%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
        method,
        key.text(),
        body.length(),
        body);
  }

  /** The polls that wait, as the metrics show them. */
  private static int waiting(HttpPorts ports) {
    var line = WAITING.matcher(Probe.of(ports.server()).get("/metrics").body());
    return line.find() ? Integer.parseInt(line.group(1)) : 0;
  }

  private static int answered(Deque<Socket> polls) {
    return (int) polls.stream().filter(HttpSharesIT::isAnswered).count();
  }

  private static boolean isAnswered(Socket poll) {
    try {
      return poll.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName(
      "given a key that holds all the calls that it can from two addresses, when another tenant"
          + " calls by HTTP, then its call is answered [security-S2]")
  void otherTenant() throws Exception {
    var polls = new ArrayDeque<Socket>();
    try (var ports = new HttpPorts("--authentication")) {
      var keys = new ApiKeys(ports.database());
      var worker = keys.create("worker", "role=worker workspace=eu");
      var other = keys.create("other", "role=viewer workspace=us");
      var list = call("RunService/ListRuns", other, "{\"workspace\": \"us\"}");
      Condition.await("the keys are known", () -> status("127.0.0.4", ports, list).equals("200"));
      var poll =
          call(
              "WorkerService/PollTasks",
              worker,
              "{\"workspace\": \"eu\", \"queues\": [\"q\"], \"maxTasks\": 1, \"wait\": \"30s\","
                  + " \"workerId\": \"w\"}");
      for (var from : new String[] {"127.0.0.2", "127.0.0.3"}) {
        for (var i = 0; i < OF_ONE_ADDRESS; i++) {
          polls.push(HttpPorts.open(from, ports.calls(), poll));
        }
      }
      Condition.await(
          "each poll waits or is refused",
          () -> waiting(ports) + answered(polls) == 2 * OF_ONE_ADDRESS);

      assertThat(status("127.0.0.4", ports, list)).isEqualTo("200");
      assertThat(waiting(ports)).isPositive();
      for (var each : polls) {
        if (isAnswered(each)) {
          assertThat(HttpPorts.status(each)).isEqualTo("429");
        }
      }
    } finally {
      for (var each : polls) {
        each.close();
      }
    }
  }

  private static String status(String from, HttpPorts ports, String request) {
    try (var socket = HttpPorts.open(from, ports.calls(), request)) {
      return HttpPorts.status(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
