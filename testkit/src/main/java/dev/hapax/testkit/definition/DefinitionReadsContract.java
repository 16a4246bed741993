package dev.hapax.testkit.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.DefinitionReads.Position;
import dev.hapax.domain.definition.DefinitionReads.Query;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.testkit.read.ReadsContract;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link DefinitionReads} finds. */
public abstract class DefinitionReadsContract extends ReadsContract {

  /** Of what {@link #ledger} keeps. */
  protected abstract DefinitionReads definitions();

  private Definition written(Workspace of, String name, String version, int second) {
    var step = new StepDefinition.Signal(new SignalFilter.Any(), Optional.empty());
    var definition =
        new Definition(
            new DefinitionId(of, name, version),
            List.of(new StepDefinition("wait", step)),
            now.plusSeconds(second),
            new Attribution("ann", "why", new PrincipalName("api-key:billing")));
    write(definition.id(), definition);
    return definition;
  }

  /** Newest first. */
  private List<Definition> samples() {
    var newestFirst =
        List.of(
            written(workspace, "b", "2", 3),
            written(workspace, "a", "9", 3),
            written(workspace, "a", "10", 3),
            written(workspace, "b", "3", 2),
            written(workspace, "b", "1", 1));
    written(elsewhere, "a", "99", 9);
    return newestFirst;
  }

  @Test
  @DisplayName("given definitions, when one is read by its id, then it is found in its workspace")
  void find() {
    for (var each : samples()) {
      assertThat(await(definitions().find(each.id()))).contains(each);
    }
    assertThat(await(definitions().find(new DefinitionId(workspace, "a", "99")))).isEmpty();
  }

  @Test
  @DisplayName("given versions of a name, when the latest is read, then it is the last registered")
  void latest() {
    var newestFirst = samples();
    assertThat(await(definitions().latest(workspace, "b"))).contains(newestFirst.get(0));
    assertThat(await(definitions().latest(workspace, "a"))).contains(newestFirst.get(1));
    assertThat(await(definitions().latest(workspace, "c"))).isEmpty();
    assertThat(await(definitions().latest(elsewhere, "b"))).isEmpty();
  }

  @Test
  @DisplayName("given definitions, when they are listed, then the newest come first")
  void list() {
    var newestFirst = samples();
    for (var size : List.of(1, 2, 5, 50)) {
      assertThat(list(Optional.empty(), size)).isEqualTo(newestFirst);
      assertThat(list(Optional.of("b"), size))
          .isEqualTo(newestFirst.stream().filter(d -> d.id().name().equals("b")).toList());
      assertThat(list(Optional.of("c"), size)).isEmpty();
    }
  }

  private List<Definition> list(Optional<String> name, int size) {
    return pages(
        size,
        (Optional<Position> after) -> definitions().list(new Query(workspace, name, size, after)));
  }
}
