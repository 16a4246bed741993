package dev.hapax.bootstrap.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real server with a folder of lifecycles: whether it starts, and what it says if it does not.
 */
@Tag("long")
class LifecyclesIT {
  private static final String BILLING =
      """
      {"lifecycle": "billing", "module": "invoicing",
       "status_types": ["approved", "closing", "closed"],
       "steps": [{"step_key": "close", "status": "approved",
         "successful_claim_state": {"admin": ["closing", "approved"]},
         "successful_state": {"admin": "closed"}, "action": {"admin": "Close"}}]}
      """;

  @TempDir private Path folder = Path.of("");
  private Path lifecycles = folder;
  private DataDir dataDir = new DataDir(folder);

  @BeforeEach
  void folders() throws IOException {
    lifecycles = Files.createDirectories(folder.resolve("lifecycles"));
    dataDir = new DataDir(folder.resolve("data"));
  }

  @AfterEach
  void leaveNothing() throws IOException {
    dataDir.close();
  }

  private HapaxProcess serve(String... more) {
    var arguments =
        new ArrayList<>(List.of("serve", "--listen=127.0.0.1:0", "--data-dir=" + dataDir.path()));
    arguments.addAll(List.of(more));
    return HapaxProcess.start(arguments.toArray(String[]::new));
  }

  @Test
  @DisplayName(
      "an uncovered claim state: exit code 2, one message that names all; with a "
          + "janitor it starts [C5]")
  void coverage() throws Exception {
    Files.writeString(lifecycles.resolve("billing.json"), BILLING);
    try (var hapax = serve("--lifecycles=" + lifecycles)) {
      assertThat(hapax.awaitExit()).isEqualTo(2);
      assertThat(hapax.output()).isEmpty();
      assertThat(hapax.errors().getLast())
          .isEqualTo(
              "hapax: workspace \"default\", lifecycle \"billing\": nothing frees claim state"
                  + " \"closing\"; the janitor of module \"invoicing\" is missing or does not"
                  + " cover it");
      assertThat(hapax.errors()).noneMatch(line -> line.startsWith("\tat "));
    }
    assertThat(dataDir.postmaster()).isEmpty();

    Files.writeString(
        lifecycles.resolve("janitor.json"),
        "{\"janitor\": \"invoicing\", \"claim_states\": [\"closing\"]}");
    try (var hapax = serve("--lifecycles=" + lifecycles)) {
      hapax.awaitReady();
      hapax.awaitError(line -> line.endsWith("2 loaded, 2 changed"));
      hapax.terminate();
      assertThat(hapax.awaitExit()).isZero();
    }

    // what was declared counts at the next start, without the folder too
    try (var hapax = serve()) {
      hapax.awaitReady();
      hapax.terminate();
      assertThat(hapax.awaitExit()).isZero();
    }
  }

  @Test
  @DisplayName("a rule that is broken: exit code 2 before any database is touched [C4]")
  void rules() throws Exception {
    var file =
        Files.writeString(
            lifecycles.resolve("billing.json"),
            BILLING.replace("[\"closing\", \"approved\"]", "[\"closing\", \"closing\"]"));
    try (var hapax = serve("--lifecycles=" + lifecycles)) {
      assertThat(hapax.awaitExit()).isEqualTo(2);
      assertThat(hapax.errors())
          .filteredOn(line -> line.startsWith("hapax: "))
          .singleElement()
          .asString()
          .startsWith("hapax: " + file + ": lifecycle \"billing\", step \"close\": ")
          .contains("(rule-3-no-op; line 4; /steps/0/successful_claim_state/admin)");
    }
    assertThat(dataDir.path().resolve("postgres")).doesNotExist();
  }
}
