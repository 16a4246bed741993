package dev.hapax.application.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.hook.CreateHook;
import dev.hapax.domain.intent.TakeIntent;
import dev.hapax.domain.janitor.BeginSweepRound;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.limit.SetLimit;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.PackageClasses;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A batch may have several workspaces, and a command one: a cell has all of its records. */
class CommandWorkspaceTest {
  private static final int SEEDS = 50;
  private static final int MOST_COMMANDS = 100;

  /** One command of each feature. */
  private static final List<Class<?>> FEATURES =
      List.of(
          RegisterDefinition.class,
          BeginAction.class,
          CreateHook.class,
          TakeIntent.class,
          BeginSweepRound.class,
          ApplyLifecycles.class,
          SetLimit.class,
          BeginOperation.class,
          StartRun.class);

  private static List<Class<?>> commands() {
    return FEATURES.stream()
        .flatMap(feature -> PackageClasses.beside(feature, "").stream())
        .filter(Command.class::isAssignableFrom)
        .filter(Class::isRecord)
        .toList();
  }

  @Test
  @DisplayName("given any command with random values, then its keys are of its workspace")
  void oneWorkspace() {
    assertThat(commands()).hasSizeBetween(40, MOST_COMMANDS);
    for (var type : commands()) {
      var keys = 0;
      for (var seed = 0; seed < SEEDS; seed++) {
        var workspace = new Workspace("w" + seed);
        var command = (Command<?>) new RandomCommands(seed, workspace).record(type);
        assertThat(command.workspace()).as(type.getName()).isEqualTo(workspace);
        assertThat(command.keys().stream().map(RecordKey::workspace))
            .as(type.getName())
            .allMatch(workspace::equals);
        keys += command.keys().size();
      }
      assertThat(keys).as(type.getName()).isPositive();
    }
  }
}
