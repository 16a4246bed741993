package dev.hapax.bootstrap.cli.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import dev.hapax.bootstrap.startup.lifecycle.Broken;
import dev.hapax.bootstrap.startup.lifecycle.Samples;
import dev.hapax.v1.Lifecycle;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class LifecycleCommandsIT {
  @TempDir private Path folder = Path.of("");
  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();
  private Samples files = new Samples(folder);

  @BeforeEach
  void ownWorkspace() {
    files = new Samples(folder);
  }

  private Said hapax(String command, String... arguments) {
    return operator.hapax(command, arguments);
  }

  private Said apply(Path... paths) {
    return hapax(
        "lifecycle",
        Stream.concat(Stream.of("apply"), Stream.of(paths).map(Path::toString))
            .toArray(String[]::new));
  }

  @Test
  @DisplayName(
      "given janitors and lifecycles, then they are applied together; a repetition succeeds")
  void applies() throws Exception {
    var billing = files.write("billing.json", Samples.BILLING);
    var janitor = files.write("janitor.json", Samples.JANITOR);

    assertThat(apply(billing, janitor).out())
        .isEqualTo("declared: janitor \"billing\"\napplied: lifecycle \"billing\"\n");
    assertThat(apply(billing, janitor).out())
        .isEqualTo(
            "already declared: janitor \"billing\"\nalready applied: lifecycle \"billing\"\n");
    assertThat(hapax("lifecycle", "apply", "--json", billing.toString()).out())
        .startsWith("{\"file\":")
        .contains("\"applied\":\"lifecycle \\\"billing\\\"\"")
        .contains("\"already\":true");
  }

  @Test
  @DisplayName("given an applied lifecycle, then get shows its actor and reason")
  void attribution() throws Exception {
    var billing = files.write("billing.json", Samples.BILLING).toString();
    var janitor = files.write("janitor.json", Samples.JANITOR).toString();
    var _ = hapax("lifecycle", "apply", billing, janitor, "--reason=the first one");
    assertThat(hapax("lifecycle", "get", "billing").out())
        .containsPattern("(?m)^applied by +" + System.getProperty("user.name") + "$")
        .containsPattern("(?m)^reason +the first one$");
  }

  @Test
  @DisplayName("a lifecycle is listed, shown and drawn as the server has it")
  void shows() throws Exception {
    var _ =
        apply(
            files.write(
                "billing.json",
                Samples.billing(
                    "\"action\": { \"admin\": \"Close\" }",
                    "\"action\": { \"admin\": \"Close\" }, \"success_after_effect\": \"Mail\"")),
            files.write("janitor.json", Samples.JANITOR));

    assertThat(hapax("lifecycle", "list").out())
        .containsPattern("(?m)^LIFECYCLE +MODULE +VERSION +APPLIED +CLAIM STATES$")
        .containsPattern("(?m)^billing +billing +1 +\\d+s ago +closing$");
    assertThat(hapax("lifecycle", "list", "--limit=0").code()).isEqualTo(2);
    var shown = hapax("lifecycle", "get", "billing");
    assertThat(shown.code()).isZero();
    assertThat(shown.out())
        .containsPattern("(?m)^statuses +approved, closing, closed$")
        .containsPattern("(?m)^close +admin +approved +closing +closed +approved +Close +Mail$");
    var lifecycle = Lifecycle.newBuilder();
    JsonFormat.parser().merge(hapax("lifecycle", "get", "billing", "--json").out(), lifecycle);
    assertThat(apply(files.write("again.json", lifecycle.getJson())).out())
        .isEqualTo("already applied: lifecycle \"billing\"\n");
    assertThat(hapax("lifecycle", "graph", "billing").out())
        .isEqualTo(hapax("lifecycle", "graph", folder.resolve("again.json").toString()).out());
    assertThat(hapax("lifecycle", "get", "none").code()).isEqualTo(3);
    assertThat(hapax("lifecycle", "graph", "none").code()).isEqualTo(3);
  }

  @Test
  @DisplayName("given a claim state without a janitor, then nothing is applied [C5]")
  void uncovered() throws Exception {
    var billing = files.write("billing.json", Samples.BILLING);
    var other =
        files.write(
            "other.json",
            "{\"lifecycle\": \"other\", \"module\": \"m\", \"status_types\": [\"a\"],"
                + " \"steps\": []}");

    var said = apply(billing, other);

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out()).isEmpty();
    assertThat(said.err())
        .startsWith("hapax: lifecycle \"billing\": nothing frees claim state")
        .contains("\"closing\"", "module \"billing\"")
        .hasLineCount(1);
    assertThat(hapax("lifecycle", "list").err()).isEqualTo("hapax: no lifecycles\n");
  }

  @Test
  @DisplayName("given a renamed claim state, then janitor and lifecycle are applied together")
  void renames() throws Exception {
    var billing = files.write("billing.json", Samples.BILLING);
    var janitor = files.write("janitor.json", Samples.JANITOR);
    var _ = apply(billing, janitor);

    files.write("billing.json", Samples.BILLING.replace("\"closing\"", "\"being closed\""));
    files.write("janitor.json", Samples.JANITOR.replace("closing", "being closed"));

    var said = apply(billing, janitor);
    assertThat(said.err()).isEmpty();
    assertThat(said.out())
        .isEqualTo("declared: janitor \"billing\"\napplied: lifecycle \"billing\"\n");
    assertThat(hapax("janitor", "list").out()).contains("being closed").doesNotContain("closing");
  }

  @Test
  @DisplayName("given a change that would strand entities, then it is rejected with their list")
  void stranded() throws Exception {
    var billing = files.write("billing.json", Samples.BILLING);
    var _ = apply(billing, files.write("janitor.json", Samples.JANITOR));
    for (var id : List.of("invoice-1", "invoice-2")) {
      assertThat(hapax("entity", "create", "billing", id, "--status", "approved").code()).isZero();
    }
    files.write("billing.json", Samples.BILLING.replace("\"approved\"", "\"agreed\""));

    var said = apply(billing);
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err())
        .startsWith("hapax: lifecycle \"billing\" is in use: ")
        .contains("\n    invoice-1: is \"approved\"\n    invoice-2: is \"approved\"\n");
  }

  @Test
  @DisplayName("a contract loses a claim state together with the lifecycle that needs it")
  void narrows() throws Exception {
    var billing = files.write("billing.json", Samples.BILLING);
    var _ = apply(billing, files.write("janitor.json", Samples.JANITOR));

    var without =
        files.write(
            "billing.json",
            Samples.billing("\"claim_state\": { \"admin\": [\"closing\", \"approved\"] },", ""));
    var janitor = files.write("janitor.json", Samples.JANITOR.replace("closing", "paying"));

    assertThat(apply(janitor).err()).contains("lifecycle \"billing\"", "closing");
    assertThat(apply(without, janitor).out())
        .isEqualTo("declared: janitor \"billing\"\napplied: lifecycle \"billing\"\n");
  }

  @Test
  @DisplayName("if any file is invalid nothing is applied [C4]")
  void nothing() throws Exception {
    var said =
        apply(
            files.write("janitor.json", Samples.JANITOR),
            files.write("billing.json", Broken.NO_OP.text()));

    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err())
        .startsWith("hapax: no lifecycle was applied:\n")
        .contains("lifecycle \"billing\", step \"close\": ", "(rule-3-no-op; line 9;");
    assertThat(hapax("janitor", "list").err()).isEqualTo("hapax: no janitors\n");
  }
}
