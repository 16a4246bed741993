package dev.hapax.domain.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Batch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DefinitionTest {
  private static final Attribution ANN = new Attribution("ann", "a new step", PrincipalName.NONE);
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final DefinitionId ID = new DefinitionId(Workspace.DEFAULT, "order", "1");
  private static final List<StepDefinition> STEPS =
      List.of(Steps.task("a"), Steps.timer("b", Duration.ofSeconds(1)), Steps.signal("c", "go"));

  @Test
  @DisplayName(
      "a definition is registered once; a repeated registration changes nothing and says so")
  void register() {
    var first = new Batch(Map.of(), NOW);
    var registered = new Definition(ID, STEPS, NOW, ANN);
    assertThat(first.decide(new RegisterDefinition(ID, STEPS, ANN)))
        .isEqualTo(new RegisterOutcome.Registered(registered, false));
    assertThat(first.changes()).containsEntry(ID, new Batch.Change(null, registered));
    var later = new Batch(Map.of(ID, registered), NOW.plusSeconds(1));
    assertThat(later.decide(new RegisterDefinition(ID, STEPS, ANN)))
        .isEqualTo(new RegisterOutcome.Registered(registered, true));
    assertThat(later.changes()).isEmpty();
  }

  @Test
  @DisplayName("other steps under the same version are rejected, also in another order")
  void different() {
    var registered = new Definition(ID, STEPS, NOW, ANN);
    var batch = new Batch(Map.of(ID, registered), NOW);
    for (var steps :
        List.of(
            STEPS.subList(0, 2),
            STEPS.reversed(),
            List.of(Steps.code("a"), STEPS.get(1), STEPS.get(2)))) {
      assertThat(batch.decide(new RegisterDefinition(ID, steps, ANN)))
          .isEqualTo(new RegisterOutcome.Different(registered));
    }
    assertThat(batch.changes()).isEmpty();
  }

  @Test
  @DisplayName("a definition has 1 to 1,000 steps, no two of one name")
  void steps() {
    assertThat(Definition.requireSteps(tasks(1_000))).hasSize(1_000);
    refused(List.of(), "needs at least one step");
    refused(tasks(1_001), "has 1001 steps; at most 1000 are allowed");
    refused(List.of(Steps.task("a"), Steps.code("a")), "has two steps named \"a\"");
  }

  private static void refused(List<StepDefinition> steps, String message) {
    assertThatThrownBy(() -> new Definition(ID, steps, NOW, ANN))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> new RegisterDefinition(ID, steps, ANN))
        .isInstanceOf(InvalidValueException.class);
  }

  private static List<StepDefinition> tasks(int count) {
    return IntStream.range(0, count).mapToObj(i -> Steps.task("step " + i)).toList();
  }

  @Test
  @DisplayName("names and versions are texts of 1 to 255 characters, those of steps of 1 to 100")
  void names() {
    for (var bad : List.of("", "n".repeat(256), "a\tb")) {
      assertThatThrownBy(() -> new DefinitionId(Workspace.DEFAULT, bad, "1"))
          .isInstanceOf(InvalidValueException.class);
      assertThatThrownBy(() -> new DefinitionId(Workspace.DEFAULT, "order", bad))
          .isInstanceOf(InvalidValueException.class);
      assertThatThrownBy(() -> Steps.work(bad, Steps.RETRY))
          .isInstanceOf(InvalidValueException.class);
      assertThatThrownBy(() -> Steps.task(bad)).isInstanceOf(InvalidValueException.class);
    }
    assertThat(Steps.task("\uD83D\uDE00".repeat(100)).name()).hasSize(200);
    assertThatThrownBy(() -> Steps.task("n".repeat(101)))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("is longer than 100 characters");
    assertThatThrownBy(() -> Steps.signal("bad", "a\nb")).isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> new SignalFilter.OfType(""))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining("any");
    assertThatThrownBy(() -> Steps.hookSignal("bad", "")).isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("a wait is more than 0 and at most 365 days")
  void waits() {
    var year = Duration.ofDays(365);
    for (var good : List.of(Duration.ofNanos(1), year)) {
      assertThat(Steps.timer("t", good)).isNotNull();
      assertThat(Steps.signal("s", "go", good)).isNotNull();
    }
    for (var bad : List.of(Duration.ZERO, Duration.ofNanos(-1), year.plusNanos(1))) {
      assertThatThrownBy(() -> Steps.timer("t", bad)).isInstanceOf(InvalidValueException.class);
      assertThatThrownBy(() -> Steps.signal("s", "go", bad))
          .isInstanceOf(InvalidValueException.class);
    }
  }

  @Test
  @DisplayName("a timer ends so long after it is reached, or at its time")
  void timers() {
    var after = new StepDefinition.Timer(new StepDefinition.Timer.After(Duration.ofHours(1)));
    assertThat(after.end(NOW)).isEqualTo(NOW.plusSeconds(3600));
    assertThat(new StepDefinition.Timer(new StepDefinition.Timer.At(NOW)).end(NOW.plusSeconds(9)))
        .isEqualTo(NOW);
  }

  @Test
  @DisplayName("tasks and code are work, timers and signals are not")
  void work() {
    assertThat(Steps.task("a").work()).contains(Steps.work(Steps.QUEUE, Steps.RETRY));
    assertThat(Steps.code("a").work()).contains(Steps.work(Steps.QUEUE, Steps.RETRY));
    assertThat(Steps.timer("a", NOW).work()).isEmpty();
    assertThat(Steps.signal("a", "go").work()).isEmpty();
  }
}
