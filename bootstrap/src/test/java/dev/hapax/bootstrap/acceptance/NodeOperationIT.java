package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The operations of the examples in Node, in every way that their work can end. */
@Tag("long")
class NodeOperationIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @BeforeAll
  static void install() throws IOException {
    Npm.prepare();
  }

  @AfterEach
  void close() {
    caller.close();
  }

  private HapaxProcess start(String name) {
    return Npm.program(deployment.target(), "operations.mjs", caller.workspace(), name);
  }

  /** What the call and its duplicate answered, and how often the work ran. */
  private List<String> said(String name) {
    try (var node = start(name)) {
      return said(node);
    }
  }

  private static List<String> said(HapaxProcess node) {
    assertThat(node.awaitExit()).as("errors: %s", node.errors()).isZero();
    return node.output().stream().filter(line -> !line.startsWith("renewed ")).toList();
  }

  private Operation stored(String name) {
    return caller
        .calls()
        .getOperation(
            GetOperationRequest.newBuilder()
                .setWorkspace(caller.workspace())
                .setAccount("ann")
                .setOperation("shop/Pay")
                .setRequestId(name)
                .build())
        .getOperation();
  }

  @Test
  @DisplayName("work without a result is recorded, and its duplicate returns nothing, too")
  void returnsNothing() {
    assertThat(said("void")).containsExactly("returned undefined", "returned undefined", "ran 1");
    assertThat(stored("void").getState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
  }

  @Test
  @DisplayName("a final failure is thrown to the duplicate, too")
  void failsForGood() {
    assertThat(said("final"))
        .containsExactly("threw CARD_DECLINED: no money", "threw CARD_DECLINED: no money", "ran 1");
  }

  @Test
  @DisplayName("work that says that nothing happened is done by the duplicate")
  void failsWithoutEffect() {
    assertThat(said("retryable"))
        .containsExactly("threw NO_CONNECTION: nothing was sent", "returned charged", "ran 2");
  }

  @Test
  @DisplayName("after an unknown exception the work is not done again: an operator decides")
  void failsWithUnknownEffect() {
    assertThat(said("unknown"))
        .containsExactly(
            "threw undefined: the provider did not answer",
            "threw indeterminate: an earlier attempt may have done this work: an operator has to"
                + " resolve the operation",
            "ran 1");
    var operation = stored("unknown");
    assertThat(operation.getState()).isEqualTo(OperationState.OPERATION_STATE_INDETERMINATE);
    assertThat(operation.getFailure().getMessage()).isEqualTo("the provider did not answer");
  }

  @Test
  @DisplayName("a result that cannot be stored does not repeat the work")
  void resultIsRefused() {
    for (var name : List.of("large", "huge", "unserializable")) {
      var said = said(name);
      assertThat(said).hasSize(3).last().isEqualTo("ran 1");
      assertThat(said.getFirst())
          .startsWith("threw RESULT_REFUSED: the work was done, but its result cannot be stored: ")
          .isEqualTo(said.get(1));
      assertThat(stored(name).getState()).isEqualTo(OperationState.OPERATION_STATE_REJECTED);
    }
  }

  @Test
  @DisplayName(
      "work that takes longer than two leases is renewed at a third of each, and runs once")
  void renews() {
    try (var node = start("slow")) {
      assertThat(said(node)).containsExactly("returned charged", "returned charged", "ran 1");
      var renewed = node.output().getLast();
      // at a third of 5 s, for 11 s; a try that does not get through is repeated soon
      assertThat(Integer.parseInt(renewed.substring("renewed ".length()))).isBetween(3, 40);
    }
  }

  @Test
  @DisplayName("a holder that slept past its lease returns the result of the one that took over")
  void takenOver() {
    try (var first = start("frozen")) {
      var _ = first.awaitOutput("begins"::equals);
      first.stop();
      try (var second = start("frozen")) {
        var result = "returned from " + second.pid();
        assertThat(said(second)).containsExactly("begins", result, "ran 1");
        first.cont();
        assertThat(said(first)).containsExactly("begins", result, "ran 1");
      }
    }
  }
}
