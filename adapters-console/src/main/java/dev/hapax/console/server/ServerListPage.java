package dev.hapax.console.server;

import com.google.protobuf.util.Durations;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.ListServersRequest;
import dev.hapax.v1.ListServersResponse;
import dev.hapax.v1.ServerState;
import java.util.Locale;

/** Shows the servers of the installation, with what each of them reports of itself. */
public final class ServerListPage implements ConsolePage {
  @Override
  public Reply show(Visit visit) {
    var monitoring = visit.api().monitoring();
    var info = monitoring.getServerInfo(GetServerInfoRequest.getDefaultInstance()).getServer();
    var answer = monitoring.listServers(ListServersRequest.getDefaultInstance());
    var servers = answer.getServersList();
    return Reply.page(
        Section.SERVERS,
        "Servers",
        "server/list.jte",
        new ServerListView(
            servers.stream().map(server -> row(server, visit)).toList(),
            servers.stream()
                .flatMap(
                    server ->
                        server.getCertificatesList().stream()
                            .map(each -> CertificateLine.of(server.getId(), each, visit.now())))
                .toList(),
            info.getVersion(),
            info.getSchemaVersion(),
            DisplayTime.of(info.getDatabaseTime(), visit.now()),
            intents(answer, visit)));
  }

  private static String intents(ListServersResponse answer, Visit visit) {
    return answer.getIntents() == 0
        ? "No intent of SQL waits for a server."
        : String.format(
            Locale.ROOT,
            "%,d intents of SQL wait for a server, the oldest was posted %s.",
            answer.getIntents(),
            DisplayTime.of(answer.getOldestIntentAt(), visit.now()).distance());
  }

  private static ServerListView.Row row(ServerState server, Visit visit) {
    return new ServerListView.Row(
        server.getId(),
        server.getVersion(),
        DisplayTime.of(server.getStartedAt(), visit.now()),
        DisplayTime.of(server.getSeenAt(), visit.now()),
        server.getRunning(),
        String.join(", ", server.getCellsList()),
        server.hasClockOffset()
            ? String.format(Locale.ROOT, "%+,d ms", Durations.toMillis(server.getClockOffset()))
            : "",
        server.getCommitters() == 0 ? "" : Integer.toString(server.getCommitters()),
        server.hasApiKeysReadAt()
            ? "%s, read %s"
                .formatted(
                    server.getApiKeys(),
                    DisplayTime.of(server.getApiKeysReadAt(), visit.now()).distance())
            : "");
  }
}
