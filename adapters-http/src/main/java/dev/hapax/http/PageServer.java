package dev.hapax.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/** The HTTP server of pages, such as those of the console and of the metrics. */
public final class PageServer {
  private PageServer() {}

  /**
   * Starts to listen.
   *
   * @param tls makes the engine of a connection; empty = plaintext
   * @param networks the name of the network of an address, whose clients share the limits of one
   * @param hosts the names under which it answers
   */
  public static HttpServer start(
      InetSocketAddress address,
      Optional<Supplier<SSLEngine>> tls,
      Function<InetSocketAddress, String> networks,
      HostNames hosts,
      WebPages pages)
      throws IOException {
    return HttpServer.start(
        address, tls, networks, new PageHandler(pages, hosts), HttpTimeouts.DEFAULT);
  }
}
