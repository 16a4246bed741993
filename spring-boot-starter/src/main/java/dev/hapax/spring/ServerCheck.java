package dev.hapax.spring;

import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.v1.ServerInfo;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Asks the server for its version, for at most 2 s. */
final class ServerCheck {

  /** The last try may begin at the end of this time, and takes as long again. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final Hapax hapax;

  ServerCheck(Hapax hapax) {
    this.hapax = hapax.callTimeout(TIMEOUT);
  }

  /**
   * Whether the server responds.
   *
   * @param details gets the version of the server
   * @param failure gets the exception of the call
   */
  boolean isUp(BiConsumer<String, Object> details, Consumer<HapaxException> failure) {
    try {
      ServerInfo server = hapax.serverInfo();
      details.accept("version", server.getVersion());
      return true;
    } catch (HapaxException down) {
      failure.accept(down);
      return false;
    }
  }
}
