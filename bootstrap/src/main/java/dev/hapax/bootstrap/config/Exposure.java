package dev.hapax.bootstrap.config;

import java.util.Optional;

/**
 * What protects an address from other machines: the one rule that says when a server may listen.
 *
 * @param consent the setting by which an operator accepts an address that is not protected
 * @param what is served there, in plural
 * @param remedy what protects it
 */
record Exposure(
    HostPort address,
    Setting<Boolean> consent,
    String what,
    String remedy,
    boolean loopback,
    boolean encrypted,
    boolean authenticated) {
  static Exposure ofCalls(
      HostPort address, boolean loopback, boolean encrypted, boolean authenticated) {
    var remedy = "Add --tls-cert and --tls-key without --authentication=false, ";
    return new Exposure(
        address, Settings.INSECURE, "calls", remedy, loopback, encrypted, authenticated);
  }

  static Exposure ofMetrics(HostPort address, boolean loopback) {
    return new Exposure(
        address, Settings.INSECURE_METRICS, "metrics", "For metrics, ", loopback, false, false);
  }

  /** Returns why a server must not listen without the consent of its operator. */
  Optional<String> problem() {
    return gap()
        .map(
            gap ->
                "other machines can reach this address, and %s. %slisten on 127.0.0.1, or add %s (%s=true) if every client that can reach it may use it"
                    .formatted(gap, remedy, consent.flag(), consent.variable()));
  }

  /** Returns what an operator has consented to. */
  Optional<String> warning() {
    return gap()
        .map(
            gap ->
                "%s: other machines can reach %s, and %s".formatted(consent.flag(), address, gap));
  }

  private Optional<String> gap() {
    if (loopback || (encrypted && authenticated)) {
      return Optional.empty();
    }
    if (encrypted) {
      return Optional.of(what + " are not authenticated");
    }
    return Optional.of(
        what + (authenticated ? " are not encrypted" : " are neither encrypted nor authenticated"));
  }
}
