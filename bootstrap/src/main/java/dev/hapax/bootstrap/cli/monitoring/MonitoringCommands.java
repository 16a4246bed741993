package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.ListProblemsResponse;
import dev.hapax.v1.ListQueuesResponse;
import dev.hapax.v1.ListServersResponse;
import dev.hapax.v1.ListWorkersResponse;
import dev.hapax.v1.ListWorkspacesResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax server}, {@code workspace}, {@code problem}, {@code queue} and {@code worker}. */
public final class MonitoringCommands {
  private MonitoringCommands() {}

  /** Adds {@code hapax server}. */
  public static void addServerTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("server", "Show servers.")
        .addTo(root, environment, serverInfo(), listServers());
  }

  /** Adds {@code hapax workspace}. */
  public static void addWorkspacesTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("workspace", "Show workspaces.").addTo(root, environment, listWorkspaces());
  }

  /** Adds {@code hapax problem}. */
  public static void addProblemsTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("problem", "Show what does not go on by itself.")
        .addTo(root, environment, listProblems());
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

  private static Subcommand listServers() {
    return RpcCommand.of(
            "list", "List the servers, also those that ended without a word in the last day.")
        .calls(MonitoringServiceGrpc.getListServersMethod())
        .listsAll(ListServersResponse::getServersList, ProblemText.SERVERS, "no servers");
  }

  private static Subcommand listWorkspaces() {
    return RpcCommand.of(
            "list",
            "List the workspaces that you may observe, with their cell and the numbers of items that"
                + " do not go on by themselves.")
        .calls(MonitoringServiceGrpc.getListWorkspacesMethod())
        .lists(ListWorkspacesResponse::getWorkspacesList, ProblemText.WORKSPACES, "no workspaces");
  }

  private static Subcommand listProblems() {
    return RpcCommand.of(
            "list",
            "List failed runs, operations and steps in doubt, and what was abandoned: one line for"
                + " each cause, the oldest first.")
        .calls(MonitoringServiceGrpc.getListProblemsMethod())
        .listsAll(ListProblemsResponse::getProblemsList, ProblemText.PROBLEMS, "no problems");
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
