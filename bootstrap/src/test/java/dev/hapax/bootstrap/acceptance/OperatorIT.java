package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.OperationView;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperatorIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @Test
  @DisplayName("GetOperation tells all there is to know, in every state [I1]")
  void gets() {
    oneOfEach();

    var held = caller.get("held");
    assertThat(held.getState()).isEqualTo(OperationState.OPERATION_STATE_IN_PROGRESS);
    assertThat(held.getWorkspace()).isEqualTo(caller.workspace());
    assertThat(held.getAccount()).isEqualTo(Caller.ACCOUNT);
    assertThat(held.getOperation()).isEqualTo(Caller.OPERATION);
    assertThat(held.getRequestId()).isEqualTo("held");
    assertThat(held.getFence()).isPositive();
    assertThat(held.hasStartedAt() && held.hasLeaseUntil() && held.hasExpiresAt()).isTrue();
    assertThat(held.hasEndedAt()).isFalse();
    for (var key : List.of("indeterminate", "released", "rejected")) {
      var failed = caller.get(key);
      assertThat(failed.getState().name()).endsWith(key.toUpperCase(java.util.Locale.ROOT));
      assertThat(failed.getFailure()).as(key).isEqualTo(Caller.failure("DECLINED"));
      assertThat(failed.hasEndedAt() && !failed.hasLeaseUntil()).isTrue();
    }
    assertThat(caller.get("completed").getResult()).isEqualTo(Caller.json("1"));
    try (var stranger = deployment.caller()) {
      var refusal = Refusal.of(() -> stranger.get("completed"));
      assertThat(refusal.code()).isEqualTo(Code.NOT_FOUND);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_OPERATION_NOT_FOUND);
    }
  }

  @Test
  @DisplayName("ListOperations filters by state, handler and age, and leaves payloads out [I1]")
  void lists() {
    oneOfEach();
    caller.acquire(caller.begin("other").setOperation("other"));
    var all = list(caller.list());

    assertThat(all)
        .extracting(Operation::getRequestId)
        .containsExactly("other", "completed", "rejected", "released", "indeterminate", "held");
    assertThat(all).noneMatch(Operation::hasResult);
    assertThat(all).noneMatch(operation -> operation.getFailure().hasDetails());
    assertThat(all.get(2).getFailure().getCode()).isEqualTo("DECLINED");
    for (var state : OperationState.values()) {
      if (state != OperationState.UNRECOGNIZED
          && state != OperationState.OPERATION_STATE_UNSPECIFIED) {
        assertThat(list(caller.list().addStates(state)))
            .isNotEmpty()
            .allMatch(operation -> operation.getState() == state);
      }
    }
    assertThat(list(caller.list().addOperations("other")))
        .extracting(Operation::getRequestId)
        .containsExactly("other");
    assertThat(list(caller.list().addOperations("none"))).isEmpty();

    var from = started(all, "released");
    assertThat(list(caller.list().setStartedAfter(from)))
        .extracting(Operation::getRequestId)
        .containsExactly("other", "completed", "rejected", "released");
    assertThat(list(caller.list().setStartedBefore(from)))
        .extracting(Operation::getRequestId)
        .containsExactly("indeterminate", "held");
    assertThat(
            list(caller.list().setStartedAfter(from).setStartedBefore(started(all, "completed"))))
        .extracting(Operation::getRequestId)
        .containsExactly("rejected", "released");
    try (var stranger = deployment.caller()) {
      assertThat(stranger.calls().listOperations(stranger.list().build()).getOperationsList())
          .isEmpty();
    }
  }

  @Test
  @DisplayName("several states, a failure code and a time of end select together [P7 A10] [I1]")
  void filters() {
    oneOfEach();
    var all = list(caller.list());
    var states =
        caller
            .list()
            .addStates(OperationState.OPERATION_STATE_RELEASED)
            .addStates(OperationState.OPERATION_STATE_COMPLETED)
            .addOperations("none")
            .addOperations(Caller.OPERATION);
    assertThat(keys(states)).containsExactly("completed", "released");
    assertThat(pages(states.setPageSize(1))).containsExactly("completed", "released");

    var declined = caller.list().setFailureCode("DECLINED");
    assertThat(keys(declined)).containsExactly("rejected", "released", "indeterminate");
    assertThat(keys(declined.addStates(OperationState.OPERATION_STATE_REJECTED)))
        .containsExactly("rejected");
    assertThat(keys(declined.clearStates().addStates(OperationState.OPERATION_STATE_COMPLETED)))
        .isEmpty();
    assertThat(keys(caller.list().setFailureCode("OTHER"))).isEmpty();

    var since = caller.list().setEndedAfter(find(all, "released").getEndedAt());
    assertThat(keys(since)).containsExactly("completed", "rejected", "released");
    since.setEndedBefore(find(all, "completed").getEndedAt());
    assertThat(keys(since)).containsExactly("rejected", "released");
    assertThat(keys(since.setFailureCode("DECLINED").addOperations(Caller.OPERATION)))
        .containsExactly("rejected", "released");
    assertThat(keys(caller.list().setEndedBefore(find(all, "released").getEndedAt())))
        .containsExactly("indeterminate");
  }

  private List<String> keys(ListOperationsRequest.Builder request) {
    return list(request).stream().map(Operation::getRequestId).toList();
  }

  private List<String> pages(ListOperationsRequest.Builder request) {
    var keys = new ArrayList<String>();
    do {
      var page = caller.calls().listOperations(request.build());
      page.getOperationsList().forEach(operation -> keys.add(operation.getRequestId()));
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return keys;
  }

  @Test
  @DisplayName("the FULL view has what GetOperation has, cut to pages of 1 MiB [P7 A10] [I1]")
  void views() {
    oneOfEach();
    var full = list(caller.list().setView(OperationView.OPERATION_VIEW_FULL));
    assertThat(full)
        .hasSize(5)
        .allSatisfy(
            operation -> assertThat(operation).isEqualTo(caller.get(operation.getRequestId())));
    assertThat(full).filteredOn(Operation::hasResult).hasSize(1);
    assertThat(full).filteredOn(operation -> operation.getFailure().hasDetails()).hasSize(3);

    var large = Caller.json("\"" + "x".repeat(200_000) + "\"");
    for (var i = 0; i < 30; i++) {
      caller.complete(caller.acquire("large-" + i), large);
    }
    var results =
        caller
            .list()
            .addStates(OperationState.OPERATION_STATE_COMPLETED)
            .setView(OperationView.OPERATION_VIEW_FULL)
            .setPageSize(500);
    assertThat(list(results)).hasSize(5).allMatch(Operation::hasResult);
    assertThat(pages(results)).doesNotHaveDuplicates().hasSize(31);
    assertThat(list(caller.list().setPageSize(500))).hasSize(35).noneMatch(Operation::hasResult);
  }

  private static Timestamp started(List<Operation> all, String key) {
    return find(all, key).getStartedAt();
  }

  private static Operation find(List<Operation> all, String key) {
    return all.stream()
        .filter(operation -> operation.getRequestId().equals(key))
        .findFirst()
        .orElseThrow();
  }

  private void oneOfEach() {
    caller.acquire("held");
    caller.fail(caller.acquire("indeterminate"), FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    caller.fail(caller.acquire("released"), FailureKind.FAILURE_KIND_RETRYABLE);
    caller.fail(caller.acquire("rejected"), FailureKind.FAILURE_KIND_FINAL);
    caller.complete(caller.acquire("completed"), Caller.json("1"));
  }

  private List<Operation> list(ListOperationsRequest.Builder request) {
    return caller.calls().listOperations(request.build()).getOperationsList();
  }

  @Test
  @DisplayName("pages stay as they are while operations begin and end; 500 is the most [I1]")
  void pages() {
    var keys = 700;
    var claims =
        ConcurrentCalls.call(
            keys, i -> caller.futures().beginOperation(caller.begin("key-" + i).build()));
    assertThat(list(caller.list())).hasSize(20);
    assertThat(list(caller.list().setPageSize(500))).hasSize(500);
    assertThat(list(caller.list().setPageSize(2_000_000_000))).hasSize(500);

    var seen = new ArrayList<String>();
    var token = "";
    do {
      var page =
          caller.calls().listOperations(caller.list().setPageSize(97).setPageToken(token).build());
      page.getOperationsList().forEach(operation -> seen.add(operation.getRequestId()));
      token = page.getNextPageToken();
      // what begins comes before the pages to come; what ends stays where it is
      caller.acquire("new-" + seen.size());
      caller.completeVoid(claims.get(seen.size() % keys).getAcquired().getClaim());
    } while (!token.isEmpty());

    assertThat(seen).doesNotHaveDuplicates().hasSize(keys).allMatch(key -> key.startsWith("key-"));
  }

  @Test
  @DisplayName("an operation that ends while it is listed is on the page once [I1]")
  void listsWhatEnds() {
    var keys = 400;
    var claims =
        ConcurrentCalls.call(
            keys, i -> caller.futures().beginOperation(caller.begin("key-" + i).build()));
    var ending =
        ConcurrentCalls.send(
            keys,
            i ->
                caller
                    .futures()
                    .completeOperation(
                        caller.completion(
                            claims.get(i).getAcquired().getClaim(), Caller.json("1"))));
    var looks = 0;
    do {
      assertThat(list(caller.list().setPageSize(500)))
          .extracting(Operation::getRequestId)
          .doesNotHaveDuplicates()
          .hasSize(keys);
      looks++;
    } while (looks < 5 || !ending.stream().allMatch(call -> call.isDone()));
    ConcurrentCalls.answers(ending);
  }
}
