package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.WorkspaceState;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkspacesTest {
  private static final String PAGE = "/w/default/workspaces";
  private final ConsoleFixture console = new ConsoleFixture();
  private final FakeApi api = console.api;

  WorkspacesTest() throws IOException {}

  @AfterEach
  void stop() {
    console.close();
  }

  private static WorkspaceState.Builder workspace(String name) {
    return WorkspaceState.newBuilder().setWorkspace(name).setCounted(true);
  }

  private Optional<String> home() {
    return console.browser.get("/").headers().firstValue("Location");
  }

  @Test
  @DisplayName("given several workspaces, then / leads to their list, otherwise to the only one")
  void entry() {
    assertThat(home()).contains("/w/default/");
    api.workspaces = List.of(workspace("shop").build());
    assertThat(home()).contains("/w/shop/");
    api.workspaces = List.of(workspace("bulk").build(), workspace("shop").build());
    assertThat(home()).contains(PAGE);
  }

  @Test
  @DisplayName(
      "given stuck items, then each workspace has their numbers, and leads to its overview")
  void counts() {
    api.workspaces =
        List.of(
            workspace("bulk")
                .setFailedRuns(1_000)
                .setOperationsInDoubt(2)
                .setStepsInDoubt(3)
                .build(),
            workspace("shop").setOperationsAbandoned(4).setEntitiesAbandoned(7).build());
    assertThat(console.browser.get(PAGE).body())
        .containsSubsequence(
            "<a href=\"/w/bulk/\">bulk</a>",
            "<b>1,000 or more</b>",
            "<b>5</b>",
            "<a href=\"/w/shop/\">shop</a>",
            "<b>11</b>")
        .doesNotContain("<th scope=\"col\">Cell</th>", "Next page");
  }

  @Test
  @DisplayName("given several cells, then each workspace has its own, and one that moves says so")
  void cells() {
    api.workspaces =
        List.of(
            workspace("bulk").setCell("default").setMovingTo("eu").build(),
            workspace("shop").setCell("eu").setCounted(false).build());
    assertThat(console.browser.get(PAGE).body())
        .containsSubsequence(
            "<td>default, moves to eu</td>",
            "<td>eu</td>",
            "<td colspan=\"5\">This server cannot use the cell now.</td>");
  }

  @Test
  @DisplayName("given more workspaces than a page has, then another page has the others")
  void pages() {
    api.workspaces = Collections.nCopies(101, workspace("shop").build());
    assertThat(console.browser.get(PAGE).body()).contains("Next page");
  }
}
