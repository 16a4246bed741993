package dev.hapax.bootstrap.server;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to systemd that the server is ready, and that it stops. Java has no datagrams on Unix
 * sockets, so {@code systemd-notify} sends them.
 *
 * @param socket the socket of a unit with {@code Type=notify}; empty = systemd expects no reports
 */
public record ServiceNotification(Optional<String> socket) {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceNotification.class);
  private static final String VARIABLE = "NOTIFY_SOCKET";
  private static final int TIMEOUT_SECONDS = 5;

  public static ServiceNotification of(Map<String, String> environment) {
    return new ServiceNotification(Optional.ofNullable(environment.get(VARIABLE)));
  }

  public void ready() {
    socket.ifPresent(each -> send(each, "READY=1"));
  }

  public void stopping() {
    socket.ifPresent(each -> send(each, "STOPPING=1"));
  }

  private static void send(String socket, String state) {
    var command = new ProcessBuilder("systemd-notify", state).inheritIO();
    command.environment().keySet().removeIf(name -> name.startsWith("HAPAX_"));
    command.environment().put(VARIABLE, socket);
    try {
      var process = command.start();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        LOG.warn("systemd-notify {} did not exit within {} s", state, TIMEOUT_SECONDS);
      } else if (process.exitValue() != 0) {
        LOG.warn("systemd-notify {} exited with {}", state, process.exitValue());
      }
    } catch (IOException e) {
      LOG.warn("systemd was not notified of {}: {}", state, e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
