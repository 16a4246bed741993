package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A server with all of its HTTP ports: calls, metrics and the console. */
final class HttpPorts implements AutoCloseable {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int PATIENCE_MILLIS = 20_000;

  private final TestDatabase database = TestDatabase.create();
  private final HapaxProcess server;
  private final int calls;
  private final int metrics;
  private final int console;

  HttpPorts(String... settings) {
    var arguments = new ArrayList<>(List.of("serve", "--listen=127.0.0.1:0"));
    Stream.of("http", "metrics", "console")
        .map("--%s-listen=127.0.0.1:0"::formatted)
        .forEach(arguments::add);
    arguments.add("--database-url=" + database.url());
    arguments.addAll(List.of(settings));
    server = HapaxProcess.start(arguments.toArray(String[]::new));
    var _ = server.awaitReady();
    calls = port("HTTP/JSON on ");
    metrics = port("metrics on ");
    console = port("console on http://");
  }

  private int port(String listens) {
    var line = server.awaitError(each -> each.contains(listens));
    return Integer.parseInt(line.replaceFirst(".*" + listens + "[^:]*:(\\d+)/?$", "$1"));
  }

  HapaxProcess server() {
    return server;
  }

  TestDatabase database() {
    return database;
  }

  int calls() {
    return calls;
  }

  int metrics() {
    return metrics;
  }

  int console() {
    return console;
  }

  /** Opens a connection from an address of this machine, and sends this. */
  static Socket open(String from, int port, String sent) throws IOException {
    var socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(from, 0));
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** All answers to these bytes, until the server closes the connection, or sends no more. */
  static String answers(int port, String sent) throws IOException {
    try (var socket = open("127.0.0.1", port, sent)) {
      return read(socket);
    }
  }

  /** The same to a client that ends the connection with its last byte. */
  static String answersToAll(int port, String sent) throws IOException {
    try (var socket = open("127.0.0.1", port, sent)) {
      socket.shutdownOutput();
      return read(socket);
    }
  }

  private static String read(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    var all = new ByteArrayOutputStream();
    try {
      socket.getInputStream().transferTo(all);
    } catch (SocketTimeoutException e) {
      all.writeBytes("the connection stays open".getBytes(StandardCharsets.UTF_8));
    } catch (SocketException e) {
      // closed before it has read all that was sent
      all.writeBytes(e.toString().getBytes(StandardCharsets.UTF_8));
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  /** The status of the next answer on a connection. */
  static String status(Socket socket) throws IOException {
    var line = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
    return new String(line, StandardCharsets.US_ASCII).replace("HTTP/1.1 ", "");
  }

  /** The statuses in answers. */
  static List<String> statuses(String answers) {
    return answers
        .lines()
        .filter(line -> line.matches(".*HTTP/1.1 \\d{3} .*"))
        .map(line -> line.replaceFirst(".*HTTP/1.1 (\\d{3}) .*", "$1"))
        .toList();
  }

  /** The status of a page that is read by a name of this server. */
  static String get(int port, String path, String host, String... headers) throws IOException {
    var more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return statuses(
            answers(
                port,
                "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n"
                    .formatted(path, host, more)))
        .getFirst();
  }

  @Override
  public void close() {
    server.close();
    database.close();
  }
}
