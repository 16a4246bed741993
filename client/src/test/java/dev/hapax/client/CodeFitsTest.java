package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CodeFitsTest {

  private static final Codec<String> JSON = TaskFixture.JSON;

  private final TaskFixture fixture = new TaskFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private void recorded(String... names) {
    for (String name : names) {
      fixture.run().parts.recorded.put(name, record(name).build());
    }
  }

  private static RecordedStep.Builder record(String name) {
    return RecordedStep.newBuilder().setName(name).setOutput(Payload.newBuilder().setJson("1"));
  }

  private void resume(List<String> records, TaskFixture.Code workflow) {
    resume(OnCodeChange.RELEASE, records, workflow);
  }

  private void resume(OnCodeChange policy, List<String> records, TaskFixture.Code workflow) {
    fixture.resume(
        () -> recorded(records.toArray(String[]::new)),
        workflow,
        builder -> builder.onCodeChange(policy));
  }

  private List<ReleaseTaskRequest> releases() {
    return fixture.hapax.work.requests(ReleaseTaskRequest.class);
  }

  @Test
  @DisplayName("given a renamed part, then the task is released, longer each time, and paid once")
  void released() {
    resume(List.of("pay", "mail"), task -> task.record("charge", JSON, fixture::once));
    fixture.advance(Duration.ofMinutes(20));

    assertThat(fixture.done).isEmpty();
    assertThat(releases().get(0).getReason().getCode()).isEqualTo("CODE_CHANGED");
    assertThat(releases().get(0).getReason().getMessage())
        .isEqualTo("records `pay`, `mail` are not asked for before `charge`");
    assertThat(releases())
        .extracting(request -> ProtoTimes.toJava(request.getDelay()).toSeconds())
        .startsWith(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
  }

  @Test
  @DisplayName("given one record that is left, then the text names it, and at most ten")
  void text() {
    var changes = new CodeChanges(OnCodeChange.RELEASE);
    assertThat(text(changes, List.of("pay")))
        .isEqualTo("records `pay` is not asked for before `charge`");
    assertThat(text(changes, IntStream.range(0, 20).mapToObj(i -> "p" + i).toList()))
        .contains("`p9`")
        .doesNotContain("`p10`");
  }

  private static String text(CodeChanges changes, List<String> leftOver) {
    var end = (ExecutionEnd.Released) changes.found("run_1", leftOver, "charge");
    return Objects.requireNonNull(Objects.requireNonNull(end).reason()).getMessage();
  }

  @Test
  @DisplayName("given a new wait or set state before a record, then the code does not fit")
  void otherCalls() {
    var workflows =
        List.<TaskFixture.Code>of(
            task -> {
              task.suspend("night", Duration.ofHours(8));
              return "1";
            },
            task -> task.awaitSignal("go", JSON),
            task ->
                task
                    .awaitSignal(Wait.signal("go", JSON), Duration.ofHours(1))
                    .orElse("1"),
            task -> {
              task.setState(Map.of("a", new Value.Json("1")));
              return "1";
            });
    for (TaskFixture.Code workflow : workflows) {
      try (var each = new TaskFixture()) {
        each.resume(
            () -> each.run().parts.recorded.put("pay", record("pay").build()),
            workflow,
            UnaryOperator.identity());
        assertThat(each.hapax.work.requests(ReleaseTaskRequest.class)).hasSize(1);
        assertThat(each.reports()).isEmpty();
      }
    }
  }

  @Test
  @DisplayName("given parts in another order, or new ones at the end, then the code fits")
  void fits() {
    resume(
        List.of("pay", "mail"),
        task -> {
          var unused = task.record("mail", JSON, fixture::once);
          var unusedToo = task.record("pay", JSON, fixture::once);
          return task.record("charge", JSON, fixture::once);
        });

    assertThat(releases()).isEmpty();
    assertThat(fixture.done).containsExactly("charge");
  }

  @Test
  @DisplayName("given records that overlapped, or of other scopes, then the code fits")
  void ignored() {
    fixture.resume(
        () -> {
          recorded("item/a/price", "hook/a");
          fixture.run().parts.recorded.put("beside", record("beside").setOverlapped(true).build());
        },
        task -> task.record("charge", JSON, fixture::once),
        UnaryOperator.identity());

    assertThat(releases()).isEmpty();
    assertThat(fixture.done).containsExactly("charge");
  }

  @Test
  @DisplayName("given a record that is left in a branch, then its code does not fit")
  void branch() {
    resume(
        List.of("item/a/price"),
        task ->
            task
                .map(
                    "item",
                    List.of("b", "a"),
                    key -> key,
                    1,
                    (branch, key) -> branch.record("cost", JSON, fixture::once))
                .toString());

    assertThat(fixture.done).containsExactly("item/b/cost");
    assertThat(releases().get(0).getReason().getMessage())
        .isEqualTo("records `item/a/price` is not asked for before `item/a/cost`");
  }

  @Test
  @DisplayName("given the deadline of a wait that has ended, then it is not left over")
  void deadline() {
    fixture.start(
        task -> {
          var unused =
              task.awaitSignal(Wait.signal("go", JSON), Duration.ofHours(1));
          return task.record("charge", JSON, fixture::once);
        });
    fixture.signal(
        dev.hapax.v1.Signal.newBuilder().setSignalId("1").setType("go").build());

    assertThat(releases()).isEmpty();
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given the policy to fail, then the run ends")
  void fails() {
    resume(OnCodeChange.FAIL, List.of("pay"), task -> task.record("charge", JSON, fixture::once));

    assertThat(fixture.failureCode()).isEqualTo("STEP_CHANGED");
    assertThat(fixture.failures().get(0).getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given the policy to warn, then the code continues")
  void warns() {
    resume(OnCodeChange.WARN, List.of("pay"), task -> task.record("charge", JSON, fixture::once));

    assertThat(fixture.done).containsExactly("charge");
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  private String patched(Task task) {
    boolean patched = task.patched("fraud-check");
    assertThat(task.patched("fraud-check")).isEqualTo(patched);
    if (patched) {
      var unused = task.record("check", JSON, fixture::once);
    }
    return task.record("pay", JSON, fixture::once);
  }

  @Test
  @DisplayName("given a patch, then a run that is further goes without it, for ever")
  void notPatched() {
    resume(
        List.of("pay"),
        task -> {
          var unused = patched(task);
          task.suspend("wait", Duration.ofHours(1));
          return "1";
        });
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.done).isEmpty();
    assertThat(releases()).isEmpty();
    assertThat(fixture.run().parts.recorded).isEmpty();
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given a patch, then a new run goes with it, and it is recorded once")
  void patched() {
    fixture.start(
        task -> {
          var unused = patched(task);
          task.suspend("wait", Duration.ofHours(1));
          return patched(task);
        });
    var answer = Objects.requireNonNull(fixture.run().parts.recorded.get("patched/fraud-check"));
    assertThat(answer.getOverlapped()).isTrue();
    assertThat(answer.getOutput().getJson()).isEqualTo("true");
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.done).containsExactly("check", "pay", "check#2", "pay#2");
    assertThat(fixture.reports().stream().filter(part -> part.getName().startsWith("patched/")))
        .hasSize(1);
  }
}
