package dev.hapax.postgres.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Fence;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.testkit.operation.Caller;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OlderResolutionIT {
  @Test
  @DisplayName(
      "given a resolution written by an older version, then it has no actor, principal and fence")
  void older() throws SQLException {
    try (var nodes = new OperationNodes(1)) {
      var caller = Caller.of("older");
      var begun = nodes.submit(caller.begin("first")).join();
      var claim = ((BeginOutcome.Acquired) begun).claim();
      nodes.submit(caller.release("r1")).join();
      assertThat(resolution(nodes.find(caller.id()).orElseThrow()).by().actor()).isEqualTo("ann");
      try (var connection = nodes.dataSource().getConnection();
          var statement = connection.createStatement()) {
        statement.execute(
            "UPDATE hapax.operation SET resolution_actor = NULL, resolution_fence = NULL,"
                + " resolution_principal = NULL");
      }

      var found = nodes.find(caller.id()).orElseThrow();
      assertThat(resolution(found))
          .isEqualTo(
              new OperationSubject.Resolution(
                  "r1", new Attribution("", "looked it up", PrincipalName.NONE), new Fence(0)));
      var lost = (OperationClaimLost) nodes.submit(caller.renew(claim)).join();
      assertThat(lost.reason()).isEqualTo(OperationClaimLost.Reason.LEASE_LOST);
    }
  }

  private static OperationSubject.Resolution resolution(Operation operation) {
    return operation.subject().resolution().orElseThrow();
  }
}
