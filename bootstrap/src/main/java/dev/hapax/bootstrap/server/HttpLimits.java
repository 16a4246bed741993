package dev.hapax.bootstrap.server;

import java.util.Map;

/**
 * The limits of the JDK's HTTP server. They are properties of the process, read once: all HTTP
 * servers of this process share them. A property that is set on the command line is kept.
 */
final class HttpLimits {
  /** For a reader of metrics. */
  private static final int RESPONSE_SECONDS = 120;

  private static final Map<String, String> PROPERTIES =
      Map.of(
          // seconds until a request is complete
          "sun.net.httpserver.maxReqTime",
          "30",
          "sun.net.httpserver.maxRspTime",
          String.valueOf(RESPONSE_SECONDS),
          "jdk.httpserver.maxConnections",
          "1024",
          "sun.net.httpserver.maxReqHeaders",
          "100",
          "sun.net.httpserver.maxReqHeaderSize",
          "16384",
          "sun.net.httpserver.nodelay",
          "true",
          // a handshake costs the server more than the client
          "jdk.tls.rejectClientInitiatedRenegotiation",
          "true");

  private HttpLimits() {}

  /** Sets the properties; call it before the first use of TLS and of an HTTP server. */
  static void apply() {
    PROPERTIES.forEach(
        (name, value) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, value);
          }
        });
  }
}
