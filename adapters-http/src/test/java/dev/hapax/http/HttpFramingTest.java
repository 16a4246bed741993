package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.AWAIT_RUN;
import static dev.hapax.http.FakeRunServer.GET_RUN;
import static dev.hapax.http.FakeRunServer.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where one request ends and the next begins: a proxy before this server must not differ. */
@Timeout(60)
class HttpFramingTest {
  private static final String HEAD =
      "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n".formatted(GET_RUN);
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";
  private static final String EMPTY_OBJECT = "2\r\n{}\r\n0\r\n\r\n";

  /** What would be called if the server took the rest of a request for the next one. */
  private static final String SMUGGLED = request(GET_RUN, "{\"runId\": \"smuggled\"}");

  private static final String LAST =
      request(GET_RUN, "{\"runId\": \"last\"}").replace("Host: x", "Host: x\r\nConnection: close");

  private final FakeRunServer server;

  HttpFramingTest() throws IOException {
    server = new FakeRunServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** All answers to these bytes, until the server closes the connection. */
  private String answers(String sent) throws IOException {
    try (var client = server.open(sent)) {
      return read(client);
    }
  }

  private static String read(Socket client) throws IOException {
    return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static List<String> statuses(String answers) {
    return answers
        .lines()
        .filter(line -> line.matches(".*HTTP/1.1 \\d{3} .*"))
        .map(line -> line.replaceFirst(".*HTTP/1.1 (\\d{3}) .*", "$1"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
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
      })
  @DisplayName(
      "given headers of which a proxy may read another length, then the request is refused")
  void ambiguous(String headers) throws Exception {
    var answers = answers(HEAD + headers + "\r\n" + EMPTY_OBJECT + SMUGGLED);
    assertThat(statuses(answers)).as(answers).isSubsetOf("400").hasSize(1);
    assertThat(answers).contains("connection: close");
    assertThat(server.received()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
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
        "\r\n2\r\n{}\r\n0\r\n\r\n",
      })
  @DisplayName("given chunks that are not those of HTTP/1.1, then nothing is called with them")
  void chunks(String body) throws Exception {
    try (var client = server.open(HEAD + CHUNKED + "\r\n" + body + SMUGGLED + LAST)) {
      client.shutdownOutput();
      assertThat(statuses(read(client))).isSubsetOf("400");
    }
    assertThat(server.runs().called()).isEmpty();
  }

  @Test
  @DisplayName("given chunks with extensions, leading zeros and trailers, then they are one body")
  void extensions() throws Exception {
    var trailers = List.of("Content-Length: 500", "X-Trailer: y", "Authorization: wrong");
    var chunks = List.of("1;name=value", "{", "0001;other=\"a b\"", "}", "0;last");
    var body = String.join("\r\n", chunks) + "\r\n" + String.join("\r\n", trailers) + "\r\n\r\n";
    var answers = answers(HEAD + CHUNKED + "\r\n" + body + LAST);
    assertThat(statuses(answers)).as(answers).containsExactly("200", "200");
  }

  @Test
  @DisplayName("given trailers without end, then the connection is closed")
  void trailers() throws Exception {
    var body = "2\r\n{}\r\n0\r\n" + "X-Trailer: y\r\n".repeat(2_000) + "\r\n";
    assertThat(statuses(answers(HEAD + CHUNKED + "\r\n" + body + LAST))).isSubsetOf("400", "431");
    assertThat(server.runs().called()).isEmpty();
  }

  @Test
  @DisplayName("given lines that end in LF alone, then the request is refused")
  void lines() throws Exception {
    for (var each :
        List.of(
            request(GET_RUN, "{}").replace("\r\n", "\n"),
            HEAD.replace("Host: x\r\n", "Host: x\n") + "Content-Length: 2\r\n\r\n{}")) {
      var answers = answers(each + SMUGGLED);
      assertThat(statuses(answers)).as(answers).containsExactly("400");
      assertThat(server.received()).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given a header over two lines, then it is one header or refused, and no request more")
  void folded() throws Exception {
    var answers = answers(HEAD + "Transfer-Encoding:\r\n chunked\r\n\r\n" + EMPTY_OBJECT + LAST);
    assertThat(statuses(answers)).as(answers).isIn(List.of("200", "200"), List.of("400"));
    var value = HEAD + "X-One: a\r\n Content-Length: 500\r\nContent-Length: 2\r\n\r\n{}";
    assertThat(statuses(answers(value + LAST))).isIn(List.of("200", "200"), List.of("400"));
  }

  @Test
  @DisplayName("given HTTP/1.1 without a Host, then the request is refused, but not HTTP/1.0")
  void host() throws Exception {
    var request = request(GET_RUN, "{}").replace("Host: x\r\n", "");
    assertThat(statuses(answers(request))).containsExactly("400");
    assertThat(statuses(answers(request.replace("HTTP/1.1", "HTTP/1.0")))).containsExactly("200");
  }

  @Test
  @DisplayName("given another version of HTTP, then the status says so")
  void versions() throws Exception {
    for (var version : List.of("HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/9.9")) {
      var answers = answers(request(GET_RUN, "{}").replace("HTTP/1.1", version) + SMUGGLED);
      assertThat(statuses(answers)).as(version).containsExactly("505");
      assertThat(server.received()).isEmpty();
    }
    for (var version : List.of("HTTP/1.1x", "HTTP/11", "ICAP/1.0", "")) {
      var answers = answers(request(GET_RUN, "{}").replace("HTTP/1.1", version) + SMUGGLED);
      assertThat(statuses(answers)).as(version).isSubsetOf("400", "505").hasSize(1);
      assertThat(server.received()).isEmpty();
    }
  }

  @Test
  @DisplayName("given HEAD, then its answer has no body, wherever it stands")
  void head() throws Exception {
    var head = "HEAD %s HTTP/1.1\r\nHost: x\r\n\r\n".formatted(GET_RUN);
    var asked =
        "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
                .formatted(GET_RUN)
            + "Content-Length: 2\r\n\r\n{}";
    var answers = answers(head + asked + head + head + asked + LAST);
    // a server need not ask for a body that has come already (RFC 9110, 10.1.1)
    assertThat(answers.replaceAll("(?s)HTTP/1.1 (\\d+).*?\r\n\r\n", "[$1]").replace("[100]", ""))
        .as(answers)
        .isEqualTo(
            "[405][200]{\"run\":{}}[405][405][200]{\"run\":{}}[200]{\"run\":{\"id\":\"last\"}}");
  }

  @Test
  @DisplayName("given a whole address, an upgrade or an unknown method, then HTTP/1.1 goes on")
  void targets() throws Exception {
    var request = request(GET_RUN, "{}");
    for (var each :
        List.of(
            request.replace("POST /", "POST http://localhost/"),
            request.replace("POST /", "POST HTTP://x:80/"),
            request.replace(
                "Host: x",
                "Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA"),
            request.replace("Host: x", "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket"),
            request.replace("Host: x", "Host: x\r\nExpect: nothing"))) {
      assertThat(statuses(answers(each + LAST))).as(each).containsExactly("200", "200");
    }
    for (var each :
        List.of(
            "OPTIONS * HTTP/1.1",
            "CONNECT x:80 HTTP/1.1",
            "TRACE / HTTP/1.1",
            "GET http:// HTTP/1.1",
            "GET /%zz?a=%zz HTTP/1.1",
            "GET ftp://x/ HTTP/1.1",
            "GET //x/../%00 HTTP/1.1",
            "BREW /pot HTTP/1.1")) {
      var answers = answers(each + "\r\nHost: localhost\r\n\r\n" + LAST);
      assertThat(statuses(answers)).as(each).hasSize(2).last().isEqualTo("200");
      assertThat(statuses(answers)).as(each).first().asString().matches("40[0-9]");
    }
  }

  @Test
  @DisplayName("given a client that sends all and half closes, then its call is cancelled")
  void halfClosed() throws Exception {
    try (var client = server.open(request(AWAIT_RUN, "{}"))) {
      while (server.received().isEmpty()) {
        Thread.onSpinWait();
      }
      client.shutdownOutput();
      while (server.cancelled() == 0) {
        Thread.onSpinWait();
      }
      assertThat(read(client)).isEmpty();
    }
  }

  @Test
  @DisplayName("given a gRPC client, then it fails as the documentation says")
  void grpc() {
    var channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.http().getPort()).usePlaintext().build();
    try {
      var request = GetRunRequest.getDefaultInstance();
      assertThatThrownBy(() -> RunServiceGrpc.newBlockingStub(channel).getRun(request))
          .hasStackTraceContaining("First received frame was not SETTINGS");
    } finally {
      channel.shutdownNow();
    }
    assertThat(server.received()).isEmpty();
  }

  @Test
  @DisplayName("given the preface of HTTP/2, then the answer says where to call gRPC")
  void preface() throws Exception {
    var preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (var before : List.of("", request(GET_RUN, "{}"))) {
      var answers = answers(before + preface);
      assertThat(statuses(answers)).as(answers).last().isEqualTo("505");
      assertThat(answers).contains("call gRPC at the port of --listen");
    }
  }
}
