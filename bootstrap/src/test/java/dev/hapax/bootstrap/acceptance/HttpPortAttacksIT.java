package dev.hapax.bootstrap.acceptance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One address cannot stop the probes, the metrics or the console for another. */
@Tag("A8")
@Tag("fault")
@Tag("long")
class HttpPortAttacksIT {
  private static final String ATTACKER = "127.0.0.2";
  private static final int TRIES = 35;
  private static final int SECOND = 1_000;

  private HttpPorts ports;
  private final List<Thread> attackers = new ArrayList<>();

  @BeforeEach
  void start() {
    ports = new HttpPorts("--authentication");
    // a server that has answered before
    Condition.await("the ports answer", () -> statuses().stream().allMatch("200"::equals));
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (var attacker : attackers) {
      attacker.interrupt();
      attacker.join();
    }
    ports.close();
  }

  /** Keeps connections open that send this, and opens those again that the server closes. */
  private void attack(int connections, int port, String sent) throws InterruptedException {
    var crowd = new Crowd(port, connections, ByteBuffer.wrap(sent.getBytes(US_ASCII)));
    var attacker = Thread.ofPlatform().daemon().start(crowd);
    attackers.add(attacker);
    while (!crowd.isComplete) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private static final class Crowd implements Runnable {
    private final int port;
    private final ByteBuffer sent;
    private final SocketChannel[] members;
    private final ByteBuffer received = ByteBuffer.allocate(1_024);
    private volatile boolean isComplete;

    Crowd(int port, int connections, ByteBuffer sent) {
      this.port = port;
      this.sent = sent;
      this.members = new SocketChannel[connections];
    }

    @Override
    public void run() {
      try {
        while (!Thread.currentThread().isInterrupted()) {
          for (var i = 0; i < members.length; i++) {
            if (members[i] == null || isClosed(members[i])) {
              members[i] = open();
            }
          }
          isComplete = true;
          TimeUnit.MILLISECONDS.sleep(1);
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        close();
      }
    }

    private SocketChannel open() throws IOException {
      var member = SocketChannel.open();
      member.bind(new InetSocketAddress(ATTACKER, 0));
      try {
        member.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        member.write(sent.duplicate());
        member.configureBlocking(false);
      } catch (IOException e) {
        member.close();
      }
      return member;
    }

    private boolean isClosed(SocketChannel member) throws IOException {
      try {
        if (member.isOpen() && member.read(received.clear()) >= 0) {
          return false;
        }
      } catch (IOException e) {
        // such as a reset
      }
      member.close();
      return true;
    }

    private void close() {
      for (var member : members) {
        try {
          if (member != null) {
            member.close();
          }
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  /** What another address is answered within a second. */
  private static String status(int port, String path) {
    var request = "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".formatted(path);
    var begun = System.nanoTime();
    try (var socket = HttpPorts.open("127.0.0.1", port, request)) {
      return status(socket, begun);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static String status(Socket socket, long begun) throws IOException {
    var left = SECOND - (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    socket.setSoTimeout(Math.max(1, left));
    try {
      return HttpPorts.status(socket);
    } catch (SocketTimeoutException e) {
      return "no answer";
    }
  }

  private List<String> statuses() {
    return List.of(
        status(ports.metrics(), "/livez"),
        status(ports.metrics(), "/readyz"),
        status(ports.metrics(), "/metrics"),
        status(ports.console(), "/login"));
  }

  private void assertServed() throws InterruptedException {
    var answers = new ArrayList<String>();
    for (var i = 0; i < TRIES; i++) {
      answers.addAll(statuses());
      // the attack goes on meanwhile
      TimeUnit.MILLISECONDS.sleep(100);
    }
    assertThat(answers).containsOnly("200").hasSize(4 * TRIES);
    assertThat(ports.server().loggedErrors()).isEmpty();
  }

  @Test
  @DisplayName(
      "given 1,030 idle connections to the metrics port that are opened again when closed, when"
          + " another address probes, then it is answered within a second, each time [security-M3]")
  void idleMetrics() throws Exception {
    attack(1_030, ports.metrics(), "");
    assertServed();
  }

  @Test
  @DisplayName(
      "given 1,100 idle connections to the console, when another address opens the login page, then"
          + " it is answered within a second, each time [security-M3]")
  void idleConsole() throws Exception {
    attack(1_100, ports.console(), "");
    assertServed();
  }

  @Test
  @DisplayName(
      "given 130 login forms that do not end, when another address opens the login page, then it is"
          + " answered within a second, each time [security-M3]")
  void slowForms() throws Exception {
    attack(
        130,
        ports.console(),
        "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nx");
    assertServed();
  }
}
