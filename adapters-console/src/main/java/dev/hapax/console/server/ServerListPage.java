package dev.hapax.console.server;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.ListServersRequest;
import dev.hapax.v1.ServerState;

/** Shows the servers of the installation, with their versions and heartbeats. */
public final class ServerListPage implements ConsolePage {
  @Override
  public Reply show(Visit visit) {
    var monitoring = visit.api().monitoring();
    var info = monitoring.getServerInfo(GetServerInfoRequest.getDefaultInstance()).getServer();
    var servers = monitoring.listServers(ListServersRequest.getDefaultInstance()).getServersList();
    return Reply.page(
        Section.SERVERS,
        "Servers",
        "server/list.jte",
        new ServerListView(
            servers.stream().map(server -> row(server, visit)).toList(),
            info.getVersion(),
            info.getSchemaVersion(),
            DisplayTime.of(info.getDatabaseTime(), visit.now())));
  }

  private static ServerListView.Row row(ServerState server, Visit visit) {
    return new ServerListView.Row(
        server.getId(),
        server.getVersion(),
        DisplayTime.of(server.getStartedAt(), visit.now()),
        DisplayTime.of(server.getSeenAt(), visit.now()),
        server.getRunning(),
        String.join(", ", server.getCellsList()));
  }
}
