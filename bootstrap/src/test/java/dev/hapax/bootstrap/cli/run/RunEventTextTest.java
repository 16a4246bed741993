package dev.hapax.bootstrap.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEvent.LeaseLost;
import dev.hapax.v1.RunEvent.RetryScheduled;
import dev.hapax.v1.RunEvent.StepCompleted;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.Step;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class RunEventTextTest {
  private static RunEvent.Builder event(RunEventType type) {
    return RunEvent.newBuilder()
        .setVersion(7)
        .setAt(Timestamp.newBuilder().setSeconds(36_000))
        .setActor("server")
        .setType(type);
  }

  @Test
  void saysWhenWhichVersionWhatAndWho() {
    var event =
        event(RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
            .setActor("worker-1")
            .setStepName("charge")
            .setStepCompleted(
                StepCompleted.newBuilder()
                    .setOutput(Payload.newBuilder().setJson("{\"paid\":\ntrue}")));

    assertThat(RunEventText.line(event.build()))
        .isEqualTo(
            "1970-01-01T10:00:00.000Z     7  charge completed {\"paid\": true}, by worker-1");
  }

  @Test
  void saysWhetherALostLeaseLeavesADoubt() {
    var event = event(RunEventType.RUN_EVENT_TYPE_LEASE_LOST).setStepName("pay").setAttempt(2);

    assertThat(RunEventText.line(event.setLeaseLost(LeaseLost.getDefaultInstance()).build()))
        .endsWith("pay attempt 2 lost: its lease expired");
    assertThat(RunEventText.line(event.setLeaseLost(LeaseLost.newBuilder().setHeld(true)).build()))
        .endsWith("pay in doubt: the lease of attempt 2 expired");
    var timedOut = LeaseLost.newBuilder();
    timedOut.getFailureBuilder().setCode("ATTEMPT_TIMEOUT");
    assertThat(RunEventText.line(event.setLeaseLost(timedOut).build()))
        .endsWith("pay attempt 2 lost: its time expired");
  }

  @Test
  void showsAStepInDoubt() {
    var step = Step.newBuilder().setName("pay").setAttempt(2).setInDoubt(true).build();

    assertThat(RunText.STEPS.lines(List.of(step), Instant.EPOCH).getLast())
        .matches("pay +IN_DOUBT +2 .*");
  }

  @Test
  void saysWhichPrincipal() {
    var event = event(RunEventType.RUN_EVENT_TYPE_COMPLETED).setPrincipal("api-key:billing");

    assertThat(RunEventText.line(event.setActor("ann").build()))
        .endsWith(", by ann (api-key:billing)");
    assertThat(RunEventText.line(event.setActor("server").build()))
        .endsWith(", by server (api-key:billing)");
  }

  @Test
  void saysWhyAndWhenAgain() {
    var event =
        event(RunEventType.RUN_EVENT_TYPE_RETRY_SCHEDULED)
            .setStepName("charge")
            .setAttempt(2)
            .setRetryScheduled(
                RetryScheduled.newBuilder()
                    .setFailure(Failure.newBuilder().setCode("BUSY").setMessage("try later"))
                    .setRetryAt(Timestamp.newBuilder().setSeconds(36_001)));

    assertThat(RunEventText.line(event.build()))
        .endsWith("charge attempt 2 failed: BUSY try later, retry at 1970-01-01T10:00:01Z");
  }

  @Test
  void saysWhatASuspensionWaitsFor() {
    var event = event(RunEventType.RUN_EVENT_TYPE_STEP_SUSPENDED).setStepName("ask");
    event
        .getStepSuspendedBuilder()
        .setSignalFilter(SignalFilter.newBuilder().setAny(Empty.getDefaultInstance()));
    assertThat(RunEventText.line(event.build())).endsWith("ask waits for any signal");

    event.getStepSuspendedBuilder().getSignalFilterBuilder().setType("approved");
    event.getStepSuspendedBuilder().getUntilBuilder().setSeconds(36_000);
    assertThat(RunEventText.line(event.build()))
        .endsWith("ask waits for signal approved until 1970-01-01T10:00:00Z");

    event.getStepSuspendedBuilder().clearUntil().getSignalFilterBuilder().setHookName("payment");
    assertThat(RunEventText.line(event.build()))
        .endsWith("ask waits for signal approved to hook payment");

    event.getStepSuspendedBuilder().getSignalFilterBuilder().clearType();
    assertThat(RunEventText.line(event.build())).endsWith("ask waits for a signal to hook payment");
  }

  @Test
  void saysHowLongAPartTook() {
    var event = event(RunEventType.RUN_EVENT_TYPE_STEP_RECORDED).setStepName("agent");
    event.getStepRecordedBuilder().setName("llm#3");
    assertThat(RunEventText.line(event.build())).endsWith("agent recorded llm#3");

    var elapsed = event.getStepRecordedBuilder().getElapsedBuilder();
    elapsed.setNanos(999_900_000);
    assertThat(RunEventText.line(event.build())).endsWith("agent recorded llm#3 · 999 ms");
    elapsed.setSeconds(41).setNanos(210_000_000);
    assertThat(RunEventText.line(event.build())).endsWith("agent recorded llm#3 · 41.2 s");
    elapsed.setSeconds(120);
    assertThat(RunEventText.line(event.build())).endsWith("agent recorded llm#3 · 2 min");
  }

  @Test
  void saysHowAPartWasSettled() {
    var event = event(RunEventType.RUN_EVENT_TYPE_STEP_SETTLED).setStepName("agent");
    event
        .getStepSettledBuilder()
        .setPart("pay")
        .setReason("ticket 81")
        .setFail(Failure.newBuilder().setCode("DECLINED"));
    assertThat(RunEventText.line(event.build()))
        .endsWith("agent settled pay as failed with DECLINED: ticket 81");

    event.getStepSettledBuilder().clearPart().setRepeat(Empty.getDefaultInstance());
    assertThat(RunEventText.line(event.build()))
        .endsWith("agent settled as to be repeated: ticket 81");
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"UNRECOGNIZED", "RUN_EVENT_TYPE_UNSPECIFIED"})
  void hasWordsForEveryType(RunEventType type) {
    assertThat(RunEventText.line(event(type).build())).matches(".{24}     7  run [A-Za-z].*");
    assertThat(RunEventText.line(event(type).build())).doesNotContain("RUN_EVENT_TYPE");
  }
}
