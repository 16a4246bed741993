package dev.hapax.bootstrap.cli.operation;

import dev.hapax.v1.OperationKey;
import picocli.CommandLine.Option;

/** Which operation. */
final class KeyOptions {
  @Option(
      names = "--operation",
      required = true,
      paramLabel = "NAME",
      description = "The handler, such as orders.v1.Orders/Place.")
  private String operation = "";

  @Option(
      names = "--request-id",
      required = true,
      paramLabel = "KEY",
      description = "The idempotency key.")
  private String requestId = "";

  @Option(
      names = "--account",
      paramLabel = "NAME",
      description = "On whose behalf. Default: the empty account")
  private String account = "";

  @Option(
      names = "--account-changing",
      description = "It began as account-changing: the key is found without the account.")
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
