package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Setting;
import dev.hapax.bootstrap.config.StartException;
import java.io.IOException;
import java.net.ServerSocket;

/** Checks that the address to listen on is free. */
public final class ListenPort {
  private ListenPort() {}

  /**
   * Fails if another process listens on the address, before the database is opened.
   *
   * @param setting the setting of the address
   */
  public static void requireFree(HostPort listen, Setting<?> setting) throws IOException {
    try (var socket = new ServerSocket()) {
      socket.bind(listen.socketAddress());
    } catch (IOException e) {
      throw taken(listen, setting, e);
    }
  }

  static StartException taken(HostPort listen, Setting<?> setting, IOException cause) {
    var reason = cause.getCause() == null ? cause.getMessage() : cause.getCause().getMessage();
    return new StartException(
        StartException.Reason.ADDRESS_TAKEN,
        "cannot listen on "
            + listen
            + " ("
            + reason
            + "): is another process using the port? "
            + setting.flag()
            + " sets another port, 0 picks a free one",
        cause);
  }
}
