package dev.hapax.application.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Billing;
import dev.hapax.application.entity.Office;
import dev.hapax.application.entity.Office.Node;
import dev.hapax.application.lifecycle.ApplyOutcome.Applied;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.lifecycle.LifecycleSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JanitorsTest {
  private final Office office = new Office();
  private final Node node = office.node();

  private CompletableFuture<Boolean> already(Node at, JanitorMode mode) {
    return at.apply(LifecycleSet.of(Billing.WORKSPACE, Billing.contract(mode)))
        .thenApply(outcome -> ((Applied) outcome).janitors().getFirst().already());
  }

  @Test
  @DisplayName("a contract that is declared already needs no command; another one does")
  void again() {
    assertThat(already(node, JanitorMode.HOSTED).join()).isFalse();
    var commands = node.ledger.submitted();

    assertThat(already(node, JanitorMode.HOSTED).join()).isTrue();
    assertThat(node.ledger.submitted()).as("each module does it at its start").isEqualTo(commands);

    assertThat(already(node, JanitorMode.REMOTE).join()).isFalse();
    assertThat(already(node, JanitorMode.REMOTE).join()).isTrue();
  }

  @Test
  @DisplayName(
      "given the contract is declared between the read and the command, it is there already")
  void meanwhile() {
    node.ledger.holdCommands();
    var declared = already(node, JanitorMode.HOSTED);
    assertThat(already(office.node(), JanitorMode.HOSTED).join()).isFalse();
    node.ledger.letGo();

    assertThat(declared.join()).isTrue();
  }
}
