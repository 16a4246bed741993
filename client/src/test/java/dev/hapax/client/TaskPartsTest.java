package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartState;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SuspendTaskRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskPartsTest {

  private static final Codec<String> JSON = TaskFixture.JSON;

  private final TaskFixture fixture = new TaskFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<PartFailure> reportedFailures() {
    return fixture.reports().stream()
        .filter(PartRecord::hasFailure)
        .map(PartRecord::getFailure)
        .toList();
  }

  @Test
  @DisplayName(
      "given a body that fails, then it runs again after the pause, at no cost of the step")
  void retried() {
    fixture.start(
        task ->
            task.record(
                "pay",
                JSON, partId -> {
                  fixture.once(partId);
                  if (fixture.done.size() < 3) {
                    throw new IOException("no answer");
                  }
                  return "7";
                }));
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    fixture.advance(Duration.ofMinutes(2));

    assertThat(fixture.done).containsExactly("pay", "pay", "pay");
    assertThat(fixture.run().outputs).containsExactly("7");
    assertThat(fixture.run().attempt).isEqualTo(1);
    assertThat(fixture.failures()).isEmpty();
    assertThat(reportedFailures()).extracting(PartFailure::getAttempt).containsExactly(1, 2);
    assertThat(reportedFailures().get(0).getFailure().getCode()).isEqualTo("java.io.IOException");
    assertThat(reportedFailures().get(0).getFailure().getStack())
        .startsWith("java.io.IOException: no answer")
        .contains("TaskPartsTest");
    assertThat(fixture.hapax.work.requests(SuspendTaskRequest.class))
        .extracting(request -> ProtoTimes.toJava(request.getDuration()))
        .containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(1));
  }

  @Test
  @DisplayName("given options, then each failure is reported with them")
  void options() {
    fixture.start(
        task ->
            task.record(
                "pay",
               PartOptions.of(JSON).retry(
                    Retry.attempts(2)
                        .backoff(Duration.ofSeconds(2), 3, Duration.ofSeconds(4))
                        .never("A")
                        .only("BUSY")
                        .giveUpAfter(Duration.ofDays(1))),
                partId -> {
                  throw new RetryableFailure("BUSY", "later", Duration.ofHours(1));
                }));
    fixture.advance(Duration.ofHours(1));

    assertThat(reportedFailures()).hasSize(2);
    PartFailure report = reportedFailures().get(0);
    assertThat(report.getKind()).isEqualTo(FailureKind.FAILURE_KIND_RETRYABLE);
    assertThat(ProtoTimes.toJava(report.getRetryAfter())).isEqualTo(Duration.ofHours(1));
    assertThat(report.getRetry().getMaxAttempts()).isEqualTo(2);
    assertThat(ProtoTimes.toJava(report.getRetry().getInitial())).isEqualTo(Duration.ofSeconds(2));
    assertThat(report.getRetry().getFactor()).isEqualTo(3);
    assertThat(ProtoTimes.toJava(report.getRetry().getMax())).isEqualTo(Duration.ofSeconds(4));
    assertThat(report.getRetry().getNonRetryableList()).containsExactly("A");
    assertThat(report.getRetry().getRetryOnlyList()).containsExactly("BUSY");
    assertThat(ProtoTimes.toJava(report.getRetry().getGiveUpAfter())).isEqualTo(Duration.ofDays(1));
    assertThat(fixture.failures())
        .singleElement()
        .satisfies(
            failed -> {
              assertThat(failed.getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
              assertThat(failed.getFailure().getCode()).isEqualTo("BUSY");
              assertThat(failed.getFailure().getMessage()).isEqualTo("later");
              assertThat(failed.getFailure().getPart()).isEqualTo("pay");
            });
  }

  @Test
  @DisplayName("given limits of options, then values beyond them are rejected")
  void limits() {
    assertThatIllegalArgumentException().isThrownBy(() -> Retry.attempts(1_001));
    assertThatIllegalArgumentException().isThrownBy(() -> Retry.attempts(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Retry.unlimited().giveUpAfter(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Retry.unlimited().backoff(Duration.ofSeconds(1), 0.5, Duration.ofSeconds(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PartOptions.of(JSON).timeout(Duration.ofDays(2)));
  }

  @Test
  @DisplayName("given a part that failed for good, then code that catches it gets it again later")
  void caught() {
    fixture.start(
        task -> {
          try {
            var unused =
                task.record(
                    "pay",
                    JSON, partId -> {
                      fixture.once(partId);
                      throw new FinalFailure("DECLINED", "no money");
                    });
          } catch (HapaxException.PartFailed failed) {
            fixture.done.add(
                failed.part()
                    + " "
                    + failed.failure().code()
                    + " "
                    + failed.getMessage()
                    + " "
                    + failed.attempts());
          }
          task.suspend("wait", Duration.ofHours(1));
          return "1";
        });
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.done)
        .containsExactly("pay", "pay DECLINED no money 1", "pay DECLINED no money 1");
    assertThat(fixture.run().outputs).containsExactly("1");
  }

  @Test
  @DisplayName("given a stack trace that is too long, then it is cut to 16 KiB")
  void stack() {
    fixture.start(
        task ->
            task.record(
                "pay",
                JSON, partId -> {
                  throw new FinalFailure("LONG", "é".repeat(20_000));
                }));

    byte[] stack =
        reportedFailures().get(0).getFailure().getStack().getBytes(StandardCharsets.UTF_8);
    assertThat(stack.length).isBetween(16 * 1024 - 1, 16 * 1024);
  }

  @Test
  @DisplayName("given a part that is due later, then the execution pauses for the rest")
  void dueLater() {
    open(PartState.PART_STATE_RETRY, 3, Duration.ofMinutes(2), task -> pay(task));

    assertThat(fixture.done).isEmpty();
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    fixture.advance(Duration.ofMinutes(2));
    assertThat(fixture.done).containsExactly("pay");
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  private String pay(Task task) {
    return task.record("pay", JSON, fixture::once);
  }

  private void open(PartState state, int attempts, Duration due, TaskFixture.Code workflow) {
    fixture.resume(
        () -> {
          var part = OpenPart.newBuilder().setName("pay").setState(state).setAttempts(attempts);
          if (!due.isZero()) {
            var at = new TimingClock(fixture.hapax.timing).instant().plus(due);
            part.setDueAt(ProtoTimes.toProto(at));
          }
          fixture.run().parts.open.put("pay", part.build());
        },
        workflow,
        UnaryOperator.identity());
  }

  @Test
  @DisplayName("given a part whose state is unknown, then the task is released for 5 s")
  void unknownState() {
    open(PartState.PART_STATE_UNSPECIFIED, 1, Duration.ZERO, this::pay);

    assertThat(fixture.done).isEmpty();
    assertThat(fixture.hapax.work.requests(ReleaseTaskRequest.class))
        .extracting(request -> ProtoTimes.toJava(request.getDelay()))
        .containsExactly(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("given a wait of the handler and a pause of a part, then the wait keeps its time")
  void pauseBesideWait() {
    ExecutionEnd wait = new ExecutionEnd.Waiting(Duration.ofHours(8), null);
    ExecutionEnd pause = new ExecutionEnd.Paused(Duration.ofMinutes(1));
    ExecutionEnd shorter = new ExecutionEnd.Paused(Duration.ofSeconds(9));
    var signal = new ExecutionEnd.Waiting(null, Wait.signal("go", JSON).filter());

    assertThat(length(wait.or(pause))).isEqualTo(Duration.ofHours(8));
    assertThat(length(pause.or(wait))).isEqualTo(Duration.ofHours(8));
    assertThat(length(pause.or(shorter))).isEqualTo(Duration.ofSeconds(9));
    assertThat(length(shorter.or(pause))).isEqualTo(Duration.ofSeconds(9));
    assertThat(length(pause.or(signal))).isEqualTo(Duration.ofMinutes(1));
    assertThat(((ExecutionEnd.Waiting) pause.or(signal)).request().hasSignalFilter()).isTrue();
  }

  private static Duration length(ExecutionEnd end) {
    return end instanceof ExecutionEnd.Paused paused
        ? paused.pause()
        : ProtoTimes.toJava(((ExecutionEnd.Waiting) end).request().getDuration());
  }

  @Test
  @DisplayName("given a name that is used again in sequence, then each use is a part of its own")
  void repeats() {
    fixture.start(
        task -> {
          pay(task);
          pay(task);
          task.suspend("wait", Duration.ofHours(1));
          task.suspend("wait", Duration.ofHours(1));
          return pay(task);
        });
    fixture.advance(Duration.ofHours(2));

    assertThat(fixture.done).containsExactly("pay", "pay#2", "pay#3");
    assertThat(fixture.run().outputs).containsExactly("\"run_1.step0/pay#3\"");
    assertThat(fixture.executions).hasValue(3);
  }

  @Test
  @DisplayName("given a name that is not valid, then the run ends")
  void invalidName() {
    fixture.start(task -> task.record("a/b", JSON, fixture::once));

    assertThat(fixture.failureCode()).isEqualTo("STEP_NAME_INVALID");
    assertThat(fixture.failures().get(0).getKind()).isEqualTo(FailureKind.FAILURE_KIND_FINAL);
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given a name that is repeated while another part runs, then it is ambiguous")
  void ambiguous() {
    fixture.start(
        task -> {
          pay(task);
          return task.record("outer", JSON, partId -> pay(task));
        });

    assertThat(reportedFailures().get(0).getFailure().getCode()).isEqualTo("STEP_NAME_AMBIGUOUS");
    assertThat(fixture.failureCode()).isEqualTo("STEP_NAME_AMBIGUOUS");
    assertThat(fixture.done).containsExactly("pay");
  }

  @Test
  @DisplayName("given a repeat of a name whose first use overlapped, then it is ambiguous")
  void ambiguousByRecord() {
    fixture.start(
        task -> {
          var unused = task.record("outer", JSON, partId -> pay(task));
          task.suspend("wait", Duration.ofHours(1));
          var unusedToo = pay(task);
          return pay(task);
        });
    assertThat(fixture.run().parts.recorded.get("pay"))
        .satisfies(part -> assertThat(part.getOverlapped()).isTrue());
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.failureCode()).isEqualTo("STEP_NAME_AMBIGUOUS");
    assertThat(fixture.done).containsExactly("pay");
  }

  @Test
  @DisplayName("given a record of a wait, when the code asks for a part, then the run ends")
  void waitBecamePart() {
    fixture.start(
        task -> {
          if (fixture.executions.get() == 1) {
            task.suspend("pay", Duration.ofHours(1));
          }
          return pay(task);
        });
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.failureCode()).isEqualTo("STEP_CHANGED");
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given pending changes of the state, then they travel with the next output")
  void state() {
    fixture.start(
        task -> {
          task.patchState("phase", new Value.Json("1"));
          task.patchState("phase", new Value.Json("2"));
          pay(task);
          task.setState(Map.of("phase", new Value.Json("3")));
          task.suspend("wait", Duration.ofHours(1));
          task.patchState("end", new Value.Json("true"));
          return "1";
        });
    fixture.advance(Duration.ofHours(1));

    assertThat(fixture.hapax.work.requests(RecordStepRequest.class))
        .extracting(request -> request.getParts(0).getName() + request.getStatePatch().getJson())
        .containsExactly("pay{\"phase\":2}", "state{\"phase\":3}", "wait");
    assertThat(fixture.run().patches).last().isEqualTo("{\"end\":true}");
  }

  @Test
  @DisplayName("given the last attempt of a step, then the handler knows it")
  void lastAttempt() {
    fixture.start(
        task -> {
          fixture.done.add(String.valueOf(task.isLastAttempt()));
          throw new IOException("again");
        });

    assertThat(fixture.done).containsExactly("false", "false", "true");
  }
}
