package dev.hapax.console.web;

import java.util.Locale;
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

  void check(ConsoleRequest request) throws RefusedVisitException {
    var host = request.header("Host").orElse("");
    requireKnown(host);
    if (!METHODS.contains(request.method())) {
      throw new RefusedVisitException(
          METHOD_NOT_ALLOWED, "The console answers GET, HEAD and POST only.");
    }
    if (request.isPost()) {
      requireSameOrigin(request, host);
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

  private void requireSameOrigin(ConsoleRequest request, String host) throws RefusedVisitException {
    var origin = (secured ? "https://" : "http://") + host;
    var same =
        request
            .header("Sec-Fetch-Site")
            .map("same-origin"::equals)
            .orElseGet(() -> request.header("Origin").filter(origin::equalsIgnoreCase).isPresent());
    if (!same) {
      throw new RefusedVisitException(
          FORBIDDEN, "This request came from another site, so nothing was done.");
    }
  }
}
