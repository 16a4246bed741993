package dev.hapax.console.overview;

import dev.hapax.console.server.CertificateLine;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListServersRequest;
import dev.hapax.v1.ServerState;
import java.util.List;
import java.util.stream.Stream;

/** Finds what is wrong with the servers, in one sentence each. */
record ServerAlarms(Visit visit) {
  List<String> read() {
    var servers =
        visit
            .api()
            .monitoring()
            .listServers(ListServersRequest.getDefaultInstance())
            .getServersList();
    return Stream.of(
            servers.stream().filter(server -> !server.getRunning()).map(this::gone),
            versions(servers),
            servers.stream().filter(ServerState::getRunning).flatMap(this::certificates))
        .flatMap(alarms -> alarms)
        .toList();
  }

  private String gone(ServerState server) {
    return "A server of version %s ended without a word: its last heartbeat was %s (%s)."
        .formatted(
            server.getVersion(),
            DisplayTime.of(server.getSeenAt(), visit.now()).distance(),
            DisplayTime.of(server.getSeenAt(), visit.now()).utc());
  }

  private Stream<String> certificates(ServerState server) {
    return server.getCertificatesList().stream()
        .filter(each -> CertificateLine.isEnding(each, visit.now()))
        .map(
            each ->
                "A certificate (%s) of server %s %s."
                    .formatted(
                        each.getUse(), server.getId(), CertificateLine.end(each, visit.now())));
  }

  private static Stream<String> versions(List<ServerState> servers) {
    var versions =
        servers.stream()
            .filter(ServerState::getRunning)
            .map(ServerState::getVersion)
            .distinct()
            .sorted()
            .toList();
    return versions.size() > 1
        ? Stream.of("Servers of several versions run: %s.".formatted(String.join(", ", versions)))
        : Stream.empty();
  }
}
