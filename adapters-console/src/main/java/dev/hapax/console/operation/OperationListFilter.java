package dev.hapax.console.operation;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.MaxAge;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.OperationState;
import java.time.Instant;
import java.util.List;

/**
 * Which operations a list shows, as its address says.
 *
 * @param operation the handler; empty = all
 * @param age since the last grant or resolution
 */
public record OperationListFilter(
    List<OperationState> states, String operation, String failureCode, MaxAge age) {
  private static final String STATE = "state";
  private static final String OPERATION = "operation";
  private static final String CODE = "code";

  public OperationListFilter {
    states = List.copyOf(states);
  }

  /** Reads the fields of an address; unknown states are left out. */
  static OperationListFilter read(Fields query) {
    var words = query.all(STATE);
    return new OperationListFilter(
        choices().stream().filter(state -> words.contains(word(state))).toList(),
        query.text(OPERATION),
        query.text(CODE),
        MaxAge.read(query.text(MaxAge.FIELD)));
  }

  /** The states that an operation can have. */
  public static List<OperationState> choices() {
    return List.of(
        OperationState.OPERATION_STATE_IN_PROGRESS,
        OperationState.OPERATION_STATE_INDETERMINATE,
        OperationState.OPERATION_STATE_RELEASED,
        OperationState.OPERATION_STATE_COMPLETED,
        OperationState.OPERATION_STATE_REJECTED);
  }

  public static String word(OperationState state) {
    return state.name().replace("OPERATION_STATE_", "");
  }

  public boolean has(OperationState state) {
    return states.contains(state);
  }

  public boolean isEmpty() {
    return states.isEmpty() && operation.isEmpty() && failureCode.isEmpty() && age.isAny();
  }

  ListOperationsRequest.Builder request(String workspace, Instant now) {
    var request =
        ListOperationsRequest.newBuilder()
            .setWorkspace(workspace)
            .addAllStates(states)
            .setFailureCode(failureCode);
    age.from(now).ifPresent(request::setStartedAfter);
    return operation.isEmpty() ? request : request.addOperations(operation);
  }

  /** The address of the list with this filter. */
  public Address address(String workspace) {
    return Address.of(workspace, "operations")
        .with(STATE, states.stream().map(OperationListFilter::word).toList())
        .with(OPERATION, operation)
        .with(CODE, failureCode)
        .with(MaxAge.FIELD, age.word());
  }
}
