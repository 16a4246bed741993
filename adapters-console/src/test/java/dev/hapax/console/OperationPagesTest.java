package dev.hapax.console;

import static dev.hapax.console.PreparedConsole.at;
import static dev.hapax.console.PreparedConsole.withMarkup;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Failure;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationKey;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.ResolveOperationResponse;
import dev.hapax.v1.Role;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperationPagesTest {
  private static final String LIST = "/w/default/operations";
  private static final String KEY = "?operation=v1%2FPlace&request=r%261&account=acme";
  private static final String PAGE = LIST + "/one" + KEY;

  private final PreparedConsole console = new PreparedConsole();
  private final Instant now = Instant.now();

  OperationPagesTest() throws IOException {
    show(operation(OperationState.OPERATION_STATE_INDETERMINATE).build());
  }

  private Operation.Builder operation(OperationState state) {
    return Operation.newBuilder()
        .setWorkspace("default")
        .setOperation("v1/Place")
        .setRequestId("r&1")
        .setAccount("acme")
        .setState(state)
        .setAttempt(2)
        .setStartedAt(at(now.minusSeconds(300)));
  }

  private void show(Operation operation) {
    show(operation, "");
  }

  private void show(Operation operation, String nextPage) {
    console.api.answer(
        OperationServiceGrpc.getListOperationsMethod(),
        ListOperationsResponse.newBuilder()
            .addOperations(operation)
            .setNextPageToken(nextPage)
            .build());
    console.api.answer(
        OperationServiceGrpc.getGetOperationMethod(),
        GetOperationResponse.newBuilder().setOperation(operation).build());
    console.api.answer(
        OperationServiceGrpc.getResolveOperationMethod(),
        ResolveOperationResponse.newBuilder().setOperation(operation).build());
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  @DisplayName("given a filter in the address, when operations are listed, then the API is asked")
  void list() {
    var body = console.open(LIST + "?state=REJECTED&state=BOGUS&operation=v1%2FPlace&code=C");

    assertThat(console.api.requests(ListOperationsRequest.class))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getStatesList())
                  .containsExactly(OperationState.OPERATION_STATE_REJECTED);
              assertThat(request.getOperationsList()).containsExactly("v1/Place");
              assertThat(request.getFailureCode()).isEqualTo("C");
            });
    assertThat(body).contains("href=\"" + PAGE.replace("&", "&amp;") + "\"");
  }

  @Test
  @DisplayName("given a maximum age in the address, when operations are listed, then it is kept")
  void age() {
    show(operation(OperationState.OPERATION_STATE_REJECTED).build(), "more");

    var body = console.open(LIST + "?state=REJECTED&since=1d");

    var after = console.api.requests(ListOperationsRequest.class).getLast().getStartedAfter();
    assertThat(Instant.ofEpochSecond(after.getSeconds(), after.getNanos()))
        .isBetween(now.minus(Duration.ofDays(1)), Instant.now().minus(Duration.ofDays(1)));
    assertThat(body)
        .contains("<option value=\"1d\" selected>", "?state=REJECTED&amp;since=1d&amp;page=more\"");
    assertThat(console.open(LIST + "?since=1y")).doesNotContain("selected", "since=1y");
    assertThat(console.api.requests(ListOperationsRequest.class).getLast().hasStartedAfter())
        .isFalse();
  }

  @Test
  @DisplayName("given no operation, when they are listed, then the page says what to do")
  void empty() {
    console.api.answer(
        OperationServiceGrpc.getListOperationsMethod(),
        ListOperationsResponse.getDefaultInstance());

    assertThat(console.read(LIST)).contains("A handler begins one with BeginOperation");
    assertThat(console.read(LIST + "?code=C")).contains("No operation matches.");
    assertThat(console.read(LIST + "?since=1h")).contains("No operation matches.");
  }

  @Test
  @DisplayName("given an operation, when it is shown, then the page says where it stands")
  void stands() {
    show(
        operation(OperationState.OPERATION_STATE_IN_PROGRESS)
            .setLeaseUntil(at(now.plusSeconds(600)))
            .build());
    assertThat(console.read(PAGE))
        .contains("IN PROGRESS", "Attempt 2 holds it since 5 min ago. Its lease ends in 9 min");
    assertThat(console.api.requests(GetOperationRequest.class).getLast())
        .isEqualTo(
            GetOperationRequest.newBuilder()
                .setWorkspace("default")
                .setOperation("v1/Place")
                .setRequestId("r&1")
                .setAccount("acme")
                .build());

    show(
        operation(OperationState.OPERATION_STATE_IN_PROGRESS)
            .setLeaseUntil(at(now.minusSeconds(180)))
            .build());
    assertThat(console.read(PAGE)).contains("LEASE EXPIRED", "its lease ended 3 min ago");

    show(operation(OperationState.OPERATION_STATE_INDETERMINATE).build());
    assertThat(console.read(PAGE)).contains("It is unknown whether the effect of attempt 2");

    show(
        operation(OperationState.OPERATION_STATE_COMPLETED)
            .setEndedAt(at(now.minusSeconds(120)))
            .setResult(Payload.newBuilder().setJson("{\"n\":9223372036854775807}"))
            .build());
    assertThat(console.read(PAGE)).contains("It completed 2 min ago.", "9223372036854775807");

    show(
        operation(OperationState.OPERATION_STATE_REJECTED)
            .setEndedAt(at(now.minusSeconds(120)))
            .setFailure(Failure.newBuilder().setCode("CARD_DECLINED"))
            .build());
    assertThat(console.read(PAGE)).contains("It failed for good", "CARD_DECLINED");

    show(operation(OperationState.OPERATION_STATE_RELEASED).build());
    assertThat(console.read(PAGE)).contains("The key is free");
  }

  @Test
  @DisplayName("given an operation in doubt, when it is resolved, then as the form says")
  void resolve() {
    var fields =
        Map.of(
            "reason",
            "checked the ledger",
            "once",
            "n1",
            "result",
            "{\"ok\":true}",
            "code",
            "LOST",
            "message",
            "too late");
    for (var verb : List.of("complete", "reject", "release")) {
      var path = LIST + "/one/" + verb + KEY;
      assertThat(console.open(PAGE)).contains(path.replace("&", "&amp;"));
      var answer = console.browser.submit(path, fields);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
      assertThat(answer.headers().firstValue("Location")).contains(PAGE);
    }

    var requests = console.api.requests(ResolveOperationRequest.class);
    assertThat(requests)
        .hasSize(3)
        .allSatisfy(
            request -> {
              assertThat(request.getKey())
                  .isEqualTo(
                      OperationKey.newBuilder()
                          .setOperation("v1/Place")
                          .setRequestId("r&1")
                          .setAccount("acme")
                          .build());
              assertThat(request.getRequestId()).isEqualTo("n1");
              assertThat(request.getReason()).isEqualTo("checked the ledger");
            });
    assertThat(requests.get(0).getComplete().getResult().getJson()).isEqualTo("{\"ok\":true}");
    assertThat(requests.get(1).getReject().getCode()).isEqualTo("LOST");
    assertThat(requests.get(2).hasRelease()).isTrue();
  }

  @Test
  @DisplayName("given a viewer or an operation that is free, then it has no buttons")
  void buttons() {
    show(operation(OperationState.OPERATION_STATE_COMPLETED).build());
    assertThat(console.open(PAGE)).contains("/one/release").doesNotContain("/one/complete");

    show(operation(OperationState.OPERATION_STATE_RELEASED).build());
    assertThat(console.open(PAGE)).doesNotContain("/one/release");

    show(operation(OperationState.OPERATION_STATE_INDETERMINATE).build());
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    assertThat(console.open(PAGE)).doesNotContain("/one/release", "/one/complete");
  }

  @Test
  @DisplayName("given no such operation, when it is opened, then the error of the API is shown")
  void missing() {
    console.api.refuse(
        OperationServiceGrpc.getGetOperationMethod(),
        Status.NOT_FOUND.withDescription("no operation v1/Place has the request id r&1"));

    var answer = console.browser.get(PAGE);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("No operation v1/Place has the request id r&amp;1.");
  }

  @Test
  @DisplayName("given markup in every text, when operations are shown, then it is text")
  void escaped() {
    show(
        withMarkup(
            operation(OperationState.OPERATION_STATE_REJECTED)
                .setResult(Payload.newBuilder().setJson("x"))
                .setFailure(Failure.newBuilder().setDetails(Payload.newBuilder().setJson("x")))
                .build()));

    for (var path : List.of(LIST, PAGE, LIST + "/one/release" + KEY)) {
      console.assertEscaped(path);
    }
  }
}
