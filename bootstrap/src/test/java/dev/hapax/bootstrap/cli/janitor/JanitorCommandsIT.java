package dev.hapax.bootstrap.cli.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JanitorCommandsIT {
  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();

  private Said janitor(String... arguments) {
    return operator.hapax("janitor", arguments);
  }

  @Test
  @DisplayName("a contract is declared, with defaults where nothing is said, and listed")
  void declares() {
    assertThat(janitor("list").err()).isEqualTo("hapax: no janitors\n");
    assertThat(janitor("declare", "billing", "--claim-state=closing").out())
        .isEqualTo("declared: billing covers closing; stale after 5m, every 2m, hosted\n");
    assertThat(janitor("declare", "billing", "--claim-state=closing").out())
        .startsWith("already declared: billing");
    assertThat(
            janitor(
                    "declare",
                    "mail",
                    "--claim-state=sending",
                    "--claim-state=asking",
                    "--stale-after=90s",
                    "--every=500ms",
                    "--mode=remote")
                .out())
        .isEqualTo("declared: mail covers asking, sending; stale after 90s, every 500ms, remote\n");
    assertThat(janitor("list").out())
        .containsPattern("(?m)^MODULE +MODE +STALE AFTER +EVERY +LAST SWEEP +FREED +STATE +COVERS$")
        .containsPattern("(?m)^billing +hosted +5m +2m +never +- +on schedule +closing$")
        .containsPattern("(?m)^mail +remote +90s +500ms +never +- +on schedule +asking, sending$");
    assertThat(janitor("list", "--json").lines()).hasSize(2);
    assertThat(janitor("declare", "mail", "--mode=remote").out())
        .startsWith("declared: mail covers nothing; ");
  }

  @Test
  @DisplayName("a contract may cover all claim states of its module")
  void declaresAll() {
    assertThat(janitor("declare", "billing", "--all-claim-states", "--reason=the first one").out())
        .startsWith("declared: billing covers all claim states; ");
    assertThat(janitor("list").out()).containsPattern("(?m)^billing +hosted .* +all claim states$");
    assertThat(janitor("list", "--json").out())
        .contains("\"reason\":\"the first one\"")
        .contains("\"declaredBy\":\"" + System.getProperty("user.name") + "\"");
    assertThat(janitor("declare", "billing", "--all-claim-states", "--claim-state=a").err())
        .contains("contract.claim_states");
  }

  @Test
  @DisplayName("given a hosted janitor, then sweep frees entities; a remote or missing one fails")
  void sweeps() {
    var _ = janitor("declare", "billing", "--claim-state=closing");
    var _ = janitor("declare", "mail", "--claim-state=sending", "--mode=remote");

    assertThat(janitor("sweep", "billing").out()).isEqualTo("freed 0\n");
    assertThat(janitor("sweep", "billing", "--json").out()).isEqualTo("{\"complete\":true}\n");
    assertThat(janitor("list").out()).containsPattern("(?m)^billing .* \\d+s ago +0 +on schedule");
    var remote = janitor("sweep", "mail");
    assertThat(remote.code()).isEqualTo(1);
    assertThat(remote.err()).contains("remote").hasLineCount(1);
    assertThat(janitor("sweep", "none").code()).isEqualTo(3);
  }

  @Test
  @DisplayName("what cannot be a contract is refused")
  void refuses() {
    assertThat(janitor("declare", "billing", "--claim-state=a", "--every=soon").code())
        .isEqualTo(2);
    var tooLong = janitor("declare", "billing", "--claim-state=a", "--stale-after=48h");
    assertThat(tooLong.code()).isEqualTo(2);
    assertThat(tooLong.err()).contains("contract.stale_after").hasLineCount(1);
  }
}
