package dev.hapax.console.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses requests that another site made in the visitor's browser.
 *
 * @param hosts the names by which browsers reach the console, in lower case
 */
record RequestGuard(Set<String> hosts, boolean secured) {
  private static final int FORBIDDEN = 403;
  static final int METHOD_NOT_ALLOWED = 405;
  private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");

  void check(HttpExchange exchange) throws RefusedVisitException {
    var headers = exchange.getRequestHeaders();
    var host = Optional.ofNullable(headers.getFirst("Host")).orElse("");
    requireKnown(host);
    if (!METHODS.contains(exchange.getRequestMethod())) {
      throw new RefusedVisitException(
          METHOD_NOT_ALLOWED, "The console answers GET, HEAD and POST only.");
    }
    if (exchange.getRequestMethod().equals("POST")) {
      requireSameOrigin(headers, host);
    }
  }

  /** A site could otherwise let its name resolve to this address, and read the answers. */
  private void requireKnown(String host) throws RefusedVisitException {
    if (!hosts.contains(name(host))) {
      throw new RefusedVisitException(
          FORBIDDEN,
          "The console does not answer under this name. Open it by its address, or add the name to"
              + " --console-hosts.");
    }
  }

  private static String name(String host) {
    return host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT);
  }

  private void requireSameOrigin(Headers headers, String host) throws RefusedVisitException {
    var site = headers.getFirst("Sec-Fetch-Site");
    var origin = headers.getFirst("Origin");
    var same =
        site != null
            ? site.equals("same-origin")
            : origin != null && origin.equalsIgnoreCase((secured ? "https://" : "http://") + host);
    if (!same) {
      throw new RefusedVisitException(
          FORBIDDEN, "This request came from another site, so nothing was done.");
    }
  }
}
