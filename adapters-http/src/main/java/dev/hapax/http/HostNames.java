package dev.hapax.http;

import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.util.NetUtil;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names by which clients reach a port that does not know its callers. To a browser, a page
 * whose own name leads to this machine is of the same origin; the header Host has the name of that
 * page.
 *
 * @param allowed beside localhost and all IP addresses, without ports; empty = any name
 */
public record HostNames(Optional<Set<String>> allowed) {
  /** For a port whose callers prove who they are, or to whom TLS proves the name. */
  public static final HostNames ANY = new HostNames(Optional.empty());

  private static final int FORBIDDEN = 403;

  public HostNames {
    allowed =
        allowed.map(
            names ->
                names.stream()
                    .map(name -> name.toLowerCase(Locale.ROOT))
                    .collect(Collectors.toUnmodifiableSet()));
  }

  public static HostNames of(Set<String> names) {
    return new HostNames(Optional.of(names));
  }

  void require(HttpRequest request) throws RefusedRequestException {
    var host = request.headers().get(HttpHeaderNames.HOST);
    // browsers send it
    if (host != null && !isAllowed(host)) {
      throw new RefusedRequestException(
          FORBIDDEN,
          new ConnectError(
              ConnectCode.PERMISSION_DENIED,
              "this server does not answer under the name in the header Host; call localhost or an"
                  + " IP address, or add the name to --http-hosts"));
    }
  }

  private boolean isAllowed(String host) {
    var port = host.lastIndexOf(':');
    var name = port > host.lastIndexOf(']') ? host.substring(0, port) : host;
    return allowed.isEmpty()
        || name.equalsIgnoreCase("localhost")
        || NetUtil.isValidIpV4Address(name)
        || (name.startsWith("[") && name.endsWith("]"))
        || allowed.get().contains(name.toLowerCase(Locale.ROOT));
  }
}
