package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.EndFilter;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationView;
import dev.hapax.v1.ResolveOperationResponse;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax operation}. */
public final class OperationCommands {
  private OperationCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("operation", "Show and resolve operations (idempotency keys).")
        .addTo(root, environment, list(), get(), resolve());
  }

  /**
   * Adds the options for the key of an operation.
   *
   * @param path path of the fields of the key, with a dot behind it
   */
  private static RpcCommand key(RpcCommand command, String path) {
    return command
        .required(
            "--operation",
            path + "operation",
            "NAME",
            "Name of the operation, such as orders.v1.Orders/Place.")
        .required("--request-id", path + "request_id", "KEY", "Idempotency key.")
        .option(
            "--account",
            path + "account",
            "NAME",
            "Account of the request. Default: the empty account")
        .flag(
            "--account-changing",
            path + "account_changing",
            "The operation is account-changing: its key does not include the account.");
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List operations, the most recently started first.")
        .option(
            "--state",
            "states",
            "STATE",
            "Only operations in this state: ${COMPLETION-CANDIDATES}; repeatable.")
        .option("--operation", "operations", "NAME", "Only operations with this name; repeatable.")
        .age(
            "--older-than", "started_before", "Only operations older than this, such as 5m or 48h.")
        .age("--newer-than", "started_after", "Only operations newer than this.")
        .with(EndFilter::addTo)
        .flag(
            "--full", "view", OperationView.OPERATION_VIEW_FULL, "With --json: include the result.")
        .calls(OperationServiceGrpc.getListOperationsMethod())
        .lists(ListOperationsResponse::getOperationsList, OperationText.COLUMNS, "no operations");
  }

  private static Subcommand get() {
    return RpcCommand.of("get", "Show an operation.")
        .with(command -> key(command, ""))
        .absent("no such operation")
        .calls(OperationServiceGrpc.getGetOperationMethod())
        .shows(GetOperationResponse::getOperation, OperationText::details);
  }

  private static Subcommand resolve() {
    var resolution = new ResolutionOptions();
    return RpcCommand.of(
            "resolve",
            "Resolve an operation that is INDETERMINATE or whose holder is stuck. An operation"
                + " that has ended can only be released, which deletes its result.",
            "Prints the operation afterwards.")
        .with(command -> key(command, "key."))
        .with(resolution, resolution::fill)
        .required("--reason", "TEXT", "Reason, recorded with the operation.")
        .key(
            "--resolution-id",
            "request_id",
            "Idempotency key of the resolution, to repeat it after a lost answer. Default: a new"
                + " one")
        .absent("no such operation")
        .calls(OperationServiceGrpc.getResolveOperationMethod())
        .shows(
            ResolveOperationResponse::getOperation,
            response ->
                response.getAlready()
                    ? "already resolved with this resolution id; current state:"
                    : "",
            OperationText::details);
  }
}
