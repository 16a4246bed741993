package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What all HTTP ports of a server refuse. */
@Timeout(180)
class HttpPortsIT {
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";
  private static final String EMPTY_OBJECT = "2\r\n{}\r\n0\r\n\r\n";
  private static final String GET_RUN = "/hapax.v1.RunService/GetRun";
  private static final String LIST_RUNS =
      "/hapax.v1.RunService/ListRuns?message=%7B%7D&encoding=json";

  /** Headers of which a proxy may read another length. */
  private static final List<String> HEADERS =
      List.of(
          "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
          "Content-Length: 2\r\nContent-Length: 3\r\n",
          "Content-Length: 2, 3\r\n",
          "Content-Length: +2\r\n",
          "Content-Length: -2\r\n",
          "Content-Length: 0x2\r\n",
          "Content-Length:\r\n",
          "Content-Length : 2\r\n",
          "Transfer-Encoding : chunked\r\n",
          "Transfer-Encoding: gzip\r\n",
          "Transfer-Encoding: xchunked\r\n",
          "Transfer-Encoding: identity\r\n",
          "Transfer-Encoding: chunked, identity\r\n",
          "Transfer-Encoding: gzip, chunked\r\n",
          "Transfer-Encoding: chunked, chunked\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: \"chunked\"\r\n",
          "Transfer-Encoding:\u000bchunked\r\n",
          "Transfer-Encoding\u0000: chunked\r\n",
          "Host: y\r\nContent-Length: 2\r\n",
          "X-One: a\u0000b\r\nContent-Length: 2\r\n",
          "X-One: a\rb\r\nContent-Length: 2\r\n",
          "no colon\r\nContent-Length: 2\r\n",
          ": no name\r\nContent-Length: 2\r\n",
          "X-One: a\nContent-Length: 2\r\n");

  private static final List<String> CHUNKS =
      List.of(
          "2\n{}\r\n0\r\n\r\n",
          "2\r\n{}\n0\r\n\r\n",
          "2\r\n{}0\r\n\r\n",
          "2;x\n{}\r\n0\r\n\r\n",
          "2;x=\"\r\n\"\r\n{}\r\n0\r\n\r\n",
          "-2\r\n{}\r\n0\r\n\r\n",
          "+2\r\n{}\r\n0\r\n\r\n",
          "0x2\r\n{}\r\n0\r\n\r\n",
          "100000002\r\n{}\r\n0\r\n\r\n",
          "FFFFFFFFFFFFFFFF2\r\n{}\r\n0\r\n\r\n",
          "\r\n2\r\n{}\r\n0\r\n\r\n");

  private static final List<String> VERSIONS =
      List.of("HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/9.9", "HTTP/1.1x");

  private static HttpPorts open;

  @BeforeAll
  static void start() {
    open = new HttpPorts();
  }

  @AfterAll
  static void stop() {
    open.close();
  }

  private static String line(String path) {
    return "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n".formatted(path);
  }

  /** Asserts that at most one answer came, which refuses the request, and the end. */
  private static void assertRefused(String sent, String answers) {
    assertThat(HttpPorts.statuses(answers))
        .as("%s is answered %s", sent, answers)
        .isSubsetOf("400", "413", "505")
        .hasSizeLessThan(2);
    assertThat(answers).as(sent).doesNotContain("stays open");
  }

  private static void assertRefusesMalformed(int port, String path) throws IOException {
    var head = line(path) + JSON;
    var next = head + "Content-Length: 2\r\n\r\n{}";
    for (var headers : HEADERS) {
      var sent = head + headers + "\r\n" + EMPTY_OBJECT + next;
      assertRefused(sent, HttpPorts.answers(port, sent));
    }
    for (var chunks : CHUNKS) {
      var sent = head + CHUNKED + "\r\n" + chunks + next;
      assertRefused(sent, HttpPorts.answersToAll(port, sent));
    }
    for (var version : VERSIONS) {
      var sent = next.replace("HTTP/1.1", version) + next;
      assertRefused(sent, HttpPorts.answers(port, sent));
    }
    var sent = next.replace("\r\n", "\n") + next;
    assertRefused(sent, HttpPorts.answers(port, sent));
  }

  @Test
  @DisplayName(
      "given malformed requests, when each is sent to each HTTP port, then it is refused, what"
          + " follows is not read, and no error is logged [security-S10]")
  void malformed() throws Exception {
    assertRefusesMalformed(open.calls(), GET_RUN);
    assertRefusesMalformed(open.metrics(), "/metrics");
    assertRefusesMalformed(open.console(), "/login");
    assertThat(open.server().loggedErrors()).isEmpty();
  }

  private static String post(int port, String host) throws IOException {
    var request =
        line(GET_RUN).replace("Sec", "Connection: close\r\nSec").replace("127.0.0.1", host)
            + JSON
            + "Content-Length: 2\r\n\r\n{}";
    return HttpPorts.statuses(HttpPorts.answers(port, request)).getFirst();
  }

  @Test
  @DisplayName(
      "given a server without authentication, when a request has the name of another host, then it"
          + " is refused on every port and for every method [security-M4]")
  void foreignHost() throws Exception {
    var evil = "evil.example:25431";
    for (var host : List.of(evil, "localhost.evil.example", "127.0.0.1.evil.example", "")) {
      assertThat(HttpPorts.get(open.calls(), LIST_RUNS, host)).isEqualTo("403");
      assertThat(HttpPorts.get(open.calls(), LIST_RUNS, host, "Authorization: Bearer x"))
          .isEqualTo("403");
      assertThat(HttpPorts.get(open.calls(), "/openapi.json", host, "Authorization: Bearer x"))
          .isEqualTo("403");
      assertThat(post(open.calls(), host)).isEqualTo("403");
      for (var path : List.of("/metrics", "/readyz", "/livez")) {
        assertThat(HttpPorts.get(open.metrics(), path, host)).isEqualTo("403");
      }
      assertThat(HttpPorts.get(open.console(), "/", host)).isEqualTo("403");
    }
    for (var host : List.of("127.0.0.1:25431", "localhost", "LocalHost:1", "10.1.2.3", "[::1]:8")) {
      assertThat(HttpPorts.get(open.calls(), LIST_RUNS, host)).as(host).isEqualTo("200");
      assertThat(HttpPorts.get(open.calls(), "/openapi.json", host)).isEqualTo("200");
      assertThat(post(open.calls(), host)).isIn("400", "404");
      assertThat(HttpPorts.get(open.metrics(), "/metrics", host)).isEqualTo("200");
    }
  }

  @Test
  @DisplayName(
      "given HTTP/1.0, as some proxies and probes speak it, then each port answers, and closes the"
          + " connection [black-box-D2]")
  void oldHttp() throws Exception {
    assertAnswersOld(open.calls(), "GET /openapi.json HTTP/1.0\r\n\r\n");
    assertAnswersOld(open.metrics(), "GET /livez HTTP/1.0\r\n\r\n");
    assertAnswersOld(open.console(), "GET /console.css HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
  }

  private static void assertAnswersOld(int port, String request) throws IOException {
    var answers = HttpPorts.answers(port, request);
    assertThat(HttpPorts.statuses(answers)).as(answers).containsExactly("200");
    assertThat(answers).contains("connection: close").doesNotContain("stays open");
  }
}
