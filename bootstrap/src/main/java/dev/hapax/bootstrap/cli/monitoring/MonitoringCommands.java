package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.ListQueuesResponse;
import dev.hapax.v1.ListWorkersResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax server}, {@code hapax queue} and {@code hapax worker}. */
public final class MonitoringCommands {
  private MonitoringCommands() {}

  /** Adds {@code hapax server}. */
  public static void addServerTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("server", "Show information about a server.")
        .addTo(root, environment, serverInfo());
  }

  /** Adds {@code hapax queue}. */
  public static void addQueuesTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("queue", "Show task queues.").addTo(root, environment, listQueues());
  }

  /** Adds {@code hapax worker}. */
  public static void addWorkersTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("worker", "Show workers.").addTo(root, environment, listWorkers());
  }

  private static Subcommand serverInfo() {
    return RpcCommand.of(
            "info", "Show the version, schema, clock, features and limits of a server.")
        .calls(MonitoringServiceGrpc.getGetServerInfoMethod())
        .shows(GetServerInfoResponse::getServer, ServerInfoText::lines);
  }

  private static Subcommand listQueues() {
    return RpcCommand.of(
            "list",
            "List queues with their ready and held tasks, and the polls waiting on this server.")
        .calls(MonitoringServiceGrpc.getListQueuesMethod())
        .lists(ListQueuesResponse::getQueuesList, BacklogText.QUEUES, "no queues");
  }

  private static Subcommand listWorkers() {
    return RpcCommand.of(
            "list", "List workers with their tasks and the time of their last poll on this server.")
        .calls(MonitoringServiceGrpc.getListWorkersMethod())
        .lists(ListWorkersResponse::getWorkersList, BacklogText.WORKERS, "no workers");
  }
}
