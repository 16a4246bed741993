package dev.hapax.console.operation;

import dev.hapax.console.view.Address;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationKey;

/** The address of an operation, whose key is in the query: an account may be empty. */
public final class OperationAddress {
  private static final String OPERATION = "operation";
  private static final String REQUEST = "request";
  private static final String ACCOUNT = "account";
  private static final String ACCOUNT_CHANGING = "account-changing";
  private static final String YES = "yes";

  private OperationAddress() {}

  /** The address of the page of an operation. */
  public static String href(Operation operation) {
    return withKey(Address.of(operation.getWorkspace(), "operations", "one"), key(operation))
        .href();
  }

  static String href(String workspace, String verb, OperationKey key) {
    return withKey(Address.of(workspace, "operations", "one", verb), key).href();
  }

  private static Address withKey(Address address, OperationKey key) {
    return address
        .with(OPERATION, key.getOperation())
        .with(REQUEST, key.getRequestId())
        .with(ACCOUNT, key.getAccount())
        .with(ACCOUNT_CHANGING, key.getAccountChanging() ? YES : "");
  }

  static OperationKey key(Operation operation) {
    return OperationKey.newBuilder()
        .setOperation(operation.getOperation())
        .setRequestId(operation.getRequestId())
        .setAccount(operation.getAccount())
        .setAccountChanging(operation.getAccountChanging())
        .build();
  }

  static OperationKey read(Fields query) {
    return OperationKey.newBuilder()
        .setOperation(query.text(OPERATION))
        .setRequestId(query.text(REQUEST))
        .setAccount(query.text(ACCOUNT))
        .setAccountChanging(query.text(ACCOUNT_CHANGING).equals(YES))
        .build();
  }
}
