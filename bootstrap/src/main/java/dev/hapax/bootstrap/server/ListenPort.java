package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Setting;
import java.io.IOException;
import java.net.ServerSocket;

/** Whether the address we are to serve on can be had. */
public final class ListenPort {
  private ListenPort() {}

  /**
   * Fails at once if somebody listens there, before anything costly is started.
   *
   * @param setting which chooses it
   */
  public static void requireFree(HostPort listen, Setting<?> setting) throws IOException {
    try (var socket = new ServerSocket()) {
      socket.bind(listen.socketAddress());
    } catch (IOException e) {
      throw taken(listen, setting, e);
    }
  }

  static IOException taken(HostPort listen, Setting<?> setting, IOException cause) {
    var reason = cause.getCause() == null ? cause.getMessage() : cause.getCause().getMessage();
    return new IOException(
        "cannot listen on "
            + listen
            + " ("
            + reason
            + "): is another hapax running? "
            + setting.flag()
            + " chooses another port, 0 picks a free one",
        cause);
  }
}
