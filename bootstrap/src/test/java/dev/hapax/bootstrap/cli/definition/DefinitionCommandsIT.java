package dev.hapax.bootstrap.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import dev.hapax.v1.Definition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class DefinitionCommandsIT {
  private static final String ORDER =
      """
      {"name": "order", "version": "1", "steps": [
        {"name": "charge", "task": {"queue": "orders", "lease": "90s", "retry": {"max_attempts": 5}}},
        {"name": "wait", "timer": {"duration": "1h"}},
        {"name": "approve", "signal": {"type": "approved", "timeout": "1d"}}]}
      """;

  @TempDir private Path folder = Path.of("");
  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();

  private Said definition(String... arguments) {
    return operator.hapax("definition", arguments);
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void registersOnce() throws Exception {
    var first = file("1.json", ORDER);
    var second = file("2.json", ORDER.replace("\"1\"", "\"2\""));

    assertThat(definition("apply", first).out()).isEqualTo("registered: order 1\n");
    assertThat(definition("apply", first, second).out())
        .isEqualTo("already registered: order 1\nregistered: order 2\n");
    assertThat(definition("apply", "--json", second).out())
        .startsWith("{\"file\":")
        .contains("\"already\":true");

    var list = definition("list").lines();
    assertThat(list).hasSize(3);
    assertThat(list.getFirst()).startsWith("DEFINITION");
    assertThat(list.get(1)).startsWith("order").contains("  2  ");
    assertThat(definition("list", "--name=other").err()).isEqualTo("hapax: no definitions\n");
    assertThat(definition("list", "--limit=1").err()).contains("there are more");
  }

  @Test
  void showsOne() throws Exception {
    var _ = definition("apply", file("1.json", ORDER));

    var shown = definition("get", "order");
    assertThat(shown.code()).isZero();
    assertThat(shown.out())
        .containsPattern("version +1\n")
        .containsPattern("charge +task +orders +90s +5 +-\n")
        .containsPattern("wait +timer .* 1h\n")
        .containsPattern("approve +signal .* for signal approved, at most 1d\n");

    var definition = Definition.newBuilder();
    JsonFormat.parser()
        .merge(definition("get", "order", "--version=1", "--json").out(), definition);
    assertThat(definition.getStepsCount()).isEqualTo(3);
    assertThat(definition("get", "order", "--version=2").code()).isEqualTo(3);
    assertThat(definition("get", "none").err()).hasLineCount(1);
  }

  @Test
  void showsWhatRunsAtMostOnce() throws Exception {
    var once = ORDER.replace("\"lease\": \"90s\"", "\"at_most_once\": true");
    assertThat(definition("apply", file("once.json", once)).code()).isZero();

    assertThat(definition("get", "order").out())
        .containsPattern("charge +task at most once +orders +- +5 +-\n");
  }

  @Test
  void recordsWhoAndWhy() throws Exception {
    var ours = file("ours.json", ORDER);
    var theirs = ORDER.replace("\"1\"", "\"2\", \"actor\": \"ann\"");
    var _ = definition("apply", ours, file("theirs.json", theirs), "--reason=a longer wait");

    assertThat(definition("get", "order", "--version=1").out())
        .containsPattern("registered by +" + ConnectionOptions.actor() + "\n")
        .containsPattern("reason +a longer wait\n");
    assertThat(definition("get", "order", "--version=2").out())
        .containsPattern("registered by +ann\n");
  }

  @Test
  void registersNothingIfAnythingIsInvalid() throws Exception {
    var good = file("good.json", ORDER);
    var bad = file("bad.json", "{\"nam\": \"bad\", \"version\": \"1\", \"steps\": []}");
    var missing = folder.resolve("missing.json");

    var said = definition("apply", good, bad, missing.toString());

    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err().lines())
        .containsExactlyInAnyOrder(
            "hapax: no definition was registered:",
            "  - "
                + bad
                + ": nam is not a field; fields are workspace, name, version, steps, actor, reason,"
                + " timeout, limits",
            "  - " + bad + ": name is required",
            "  - " + bad + ": steps is required",
            "  - " + missing + ": does not exist");
    assertThat(definition("list").err()).isEqualTo("hapax: no definitions\n");
  }

  @Test
  void refusesOtherContentUnderTheSameVersionAndGoesOn() throws Exception {
    var _ = definition("apply", file("1.json", ORDER));
    var changed = file("changed.json", ORDER.replace("90s", "91s"));
    var next = file("next.json", ORDER.replace("\"1\"", "\"2\""));

    var said = definition("apply", changed, next);

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err()).startsWith("hapax: " + changed + ": ").hasLineCount(1);
    assertThat(said.out()).isEqualTo("registered: order 2\n");
  }

  @Test
  void keepsToTheWorkspace() throws Exception {
    var other =
        file("other.json", ORDER.replace("{\"name\": \"o", "{\"workspace\": \"x\", \"name\": \"o"));

    assertThat(definition("apply", other).err())
        .contains("workspace must be " + operator.workspace() + " or unset (was x)");
  }
}
