package dev.hapax.bootstrap.cli.operation;

import dev.hapax.v1.OperationKey;
import picocli.CommandLine.Option;

/** The options for the key of an operation. */
final class KeyOptions {
  @Option(
      names = "--operation",
      required = true,
      paramLabel = "NAME",
      description = "Name of the operation, such as orders.v1.Orders/Place.")
  private String operation = "";

  @Option(
      names = "--request-id",
      required = true,
      paramLabel = "KEY",
      description = "Idempotency key.")
  private String requestId = "";

  @Option(
      names = "--account",
      paramLabel = "NAME",
      description = "Account of the request. Default: the empty account")
  private String account = "";

  @Option(
      names = "--account-changing",
      description = "The operation is account-changing: its key does not include the account.")
  private boolean accountChanging;

  OperationKey key() {
    return OperationKey.newBuilder()
        .setOperation(operation)
        .setRequestId(requestId)
        .setAccount(account)
        .setAccountChanging(accountChanging)
        .build();
  }
}
