package dev.hapax.bootstrap.cli.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.startup.lifecycle.Broken;
import dev.hapax.bootstrap.startup.lifecycle.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ValidateLifecyclesCommandTest {
  @TempDir private Path folder = Path.of("");
  private Samples files = new Samples(folder);

  @BeforeEach
  void inThisFolder() {
    files = new Samples(folder);
  }

  private Typed validate(String name, String text) throws IOException {
    return Typed.hapax("lifecycle", "validate", files.write(name, text).toString());
  }

  @ParameterizedTest
  @EnumSource(Broken.class)
  @DisplayName("each rule: file, line, lifecycle, step, rule and what to do; exit code 1 [C4]")
  void rules(Broken broken) throws Exception {
    var said = validate("billing.json", broken.text());

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out())
        .contains(
            String.format(
                Locale.ROOT,
                "%s:%d: lifecycle \"billing\", step \"%s\": ",
                folder.resolve("billing.json"),
                broken.line(),
                broken.step()))
        .containsPattern("(?m)^ {4}" + broken.rule() + " at /steps/\\d/\\S+\\. [A-Z].*\\.$");
    assertThat(said.err()).isEmpty();
  }

  @Test
  @DisplayName("given valid files, then the exit code is 0, also with warnings")
  void valid() throws Exception {
    var said = validate("billing.json", Samples.BILLING);

    assertThat(said.code()).isZero();
    assertThat(said.lines())
        .containsExactly(
            folder
                + "/billing.json:4: warning: lifecycle \"billing\": no step leads out of"
                + " \"closed\"",
            "    dead-end at /status_types/2. Ignore this if the status is final; otherwise add a step"
                + " from it.",
            folder
                + "/billing.json: note: lifecycle \"billing\": no janitor in these files covers"
                + " claim state \"closing\"",
            "    claim-state-uncovered. The server needs one: {\"janitor\": \"billing\","
                + " \"claim_states\": [\"closing\"]}.",
            "1 file: 0 violations, 1 warning, 1 note");
  }

  @Test
  @DisplayName("given a janitor file beside a lifecycle, then it covers its claim states")
  void janitors() throws Exception {
    var lifecycle = files.write("billing.json", Samples.BILLING).toString();
    var janitor = files.write("janitor.json", Samples.JANITOR).toString();
    var broken =
        files.write(
            "broken.json", "{\"janitor\": \"x\",\n \"claim_states\": [],\n \"every\": \"soon\"}");

    assertThat(Typed.hapax("lifecycle", "validate", lifecycle, janitor).lines().getLast())
        .isEqualTo("2 files: 0 violations, 1 warning, 0 notes");
    var said = Typed.hapax("lifecycle", "validate", broken.toString());
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.lines().getFirst())
        .isEqualTo(broken + ":3: janitor x: is not a time between 100 ms and 24 h");
  }

  @Test
  @DisplayName("given unreadable files, then all of them are reported as violations")
  void unreadable() throws Exception {
    var noJson = files.write("no.json", "{\n  \"lifecycle\": billing }");
    var missing = folder.resolve("missing.json");

    var said = Typed.hapax("lifecycle", "validate", noJson.toString(), missing.toString());

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out())
        .contains(noJson + ": the file: is not JSON at line 2")
        .contains(missing + ": the file: does not exist")
        .endsWith("2 files: 2 violations, 0 warnings, 0 notes\n");
  }

  @Test
  @DisplayName("given one lifecycle in two files, then both are violations")
  void twice() throws Exception {
    var first = files.write("1.json", Samples.BILLING);
    var second = files.write("2.json", Samples.billing("\"closed\"]", "\"closed\", \"gone\"]"));

    var said = Typed.hapax("lifecycle", "validate", first.toString(), second.toString());

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.lines().getFirst())
        .isEqualTo("%s: lifecycle \"billing\": is also in %s".formatted(second, first));
  }

  @Test
  @DisplayName("scripts get an object for each")
  void json() throws Exception {
    var file = files.write("b.json", Broken.NO_OP.text());

    var said = Typed.hapax("lifecycle", "validate", "--json", file.toString());

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.lines())
        .containsExactly(
            ("{\"severity\":\"violation\",\"file\":\"%s\",\"line\":9,\"subject\":\"lifecycle"
                    + " \\\"billing\\\"\",\"step\":\"close\",\"rule\":\"rule-3-no-op\",\"pointer\":\"/steps/0/claim_state/admin\",\"message\":\"it"
                    + " claims into the status it goes back to\",\"advice\":\"Let the first element be"
                    + " a status of its own, such as \\\"closing\\\".\"}")
                .formatted(file));
  }

  @Test
  @DisplayName("without a file it says so")
  void usage() {
    assertThat(Typed.hapax("lifecycle", "validate").code()).isEqualTo(2);
    assertThat(Typed.hapax("lifecycle").err()).startsWith("hapax: missing subcommand: validate,");
  }

  @Test
  @DisplayName("given a file, then graph needs no server; another file fails")
  void graph() throws Exception {
    var file = files.write("billing.json", Samples.BILLING).toString();
    var janitor = files.write("janitor.json", Samples.JANITOR).toString();
    var broken = files.write("broken.json", Broken.NO_OP.text()).toString();

    assertThat(Typed.hapax("lifecycle", "graph", file).out())
        .startsWith("stateDiagram-v2\n")
        .contains("state \"closing (claimed)\" as s1\n")
        .contains("s0 --> s1 : close (admin)\n");
    assertThat(Typed.hapax("lifecycle", "graph", file, "--format=dot").out())
        .startsWith("digraph \"billing\" {\n")
        .endsWith("}\n");
    assertThat(Typed.hapax("lifecycle", "graph", file, "--json").lines())
        .singleElement()
        .asString()
        .startsWith("{\"graph\":\"stateDiagram-v2\\n");
    assertThat(Typed.hapax("lifecycle", "graph", janitor).err())
        .contains(janitor + " has janitor \"billing\"");
    var refused = Typed.hapax("lifecycle", "graph", broken);
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("rule-3-no-op");
  }
}
