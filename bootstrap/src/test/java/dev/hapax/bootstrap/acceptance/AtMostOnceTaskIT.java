package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettledCompletion;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A task step that runs at most once: its silent worker leaves a doubt. */
class AtMostOnceTaskIT {
  private static final String STEP = PartCaller.STEP;

  private final RunCaller caller = RunCaller.to(Deployment.shared().target());

  @BeforeEach
  void define() {
    var once = RunCaller.work(Caller.millis(300)).setAtMostOnce(true);
    once.getRetryBuilder().setMaxAttempts(1);
    caller.define(
        "once",
        StepDefinition.newBuilder().setName(STEP).setTask(once).build(),
        RunCaller.task("ship"));
  }

  @AfterEach
  void close() {
    caller.close();
  }

  /** The worker got the task, and its lease is over. */
  private Task doubtful() {
    var id = caller.started("once");
    var task = caller.poll("worker");
    assertThat(task.getRun().getId()).isEqualTo(id);
    awaitDoubt(id);
    return task;
  }

  private void awaitDoubt(String id) {
    var version = caller.get(id).getVersion();
    while (lost(id).isEmpty()) {
      var run = caller.runs().awaitRun(caller.awaiting(id, version)).getRun();
      assertThat(run.getVersion()).as("a change in 30 s").isGreaterThan(version);
      version = run.getVersion();
    }
  }

  private List<RunEvent> lost(String id) {
    return caller.events(id).stream()
        .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_LEASE_LOST)
        .toList();
  }

  private SettleStepRequest.Builder settlement(String id) {
    return new PartCaller(caller).settlement(id, "");
  }

  /** The runs in doubt, page by page. */
  private List<String> inDoubt() {
    var found = new ArrayList<String>();
    var token = "";
    do {
      var page =
          EntityServiceGrpc.newBlockingStub(caller.caller().channel())
              .listClaims(
                  ListClaimsRequest.newBuilder()
                      .setWorkspace(caller.workspace())
                      .addKinds(ClaimKind.CLAIM_KIND_STEP_IN_DOUBT)
                      .setPageSize(1)
                      .setPageToken(token)
                      .build());
      page.getClaimsList().forEach(claim -> found.add(claim.getRunId()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return found;
  }

  @Test
  @Tag("P13")
  @DisplayName(
      "given a worker silent for three leases, then no other worker gets the step, and its late"
          + " completion succeeds [workflows-P15]")
  void lateCompletion() {
    var task = doubtful();
    var id = task.getRun().getId();
    assertThat(lost(id)).singleElement().matches(event -> event.getLeaseLost().getHeld());
    assertThat(caller.poll(caller.polling("other").setWait(Caller.millis(900)))).isEmpty();

    assertThat(caller.complete(task.getClaim(), "7").hasCompleted()).isTrue();
    var next = caller.poll("other");
    assertThat(next.getStep().getName()).isEqualTo("ship");
    assertThat(next.getRun().getOutput()).isEqualTo(Caller.json("7"));
  }

  @Test
  @DisplayName("the doubt is explained, listed, and ends with a renewal [workflows-P15]")
  void renewed() {
    var task = doubtful();
    var id = task.getRun().getId();
    var other = doubtful().getRun().getId();
    var answer = caller.explain(id);
    assertThat(answer.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_UNKNOWN_EFFECT);
    assertThat(answer.getSentencesList())
        .singleElement()
        .asString()
        .contains("Worker \"worker\" held step \"" + STEP + "\" until", "SettleStep");
    assertThat(inDoubt()).containsExactly(other, id);
    assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    assertThat(caller.steps(id).getFirst())
        .matches(step -> step.getInDoubt() && !step.hasLeaseUntil());

    var heartbeat =
        HeartbeatTasksRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .addClaims(task.getClaim())
            .setLease(Caller.seconds(60))
            .build();
    assertThat(caller.worker().heartbeatTasks(heartbeat).getResults(0).hasRenewed()).isTrue();
    assertThat(caller.steps(id).getFirst())
        .matches(step -> !step.getInDoubt() && step.hasLeaseUntil());
    assertThat(inDoubt()).containsExactly(other);
    var settlement = settlement(id).setRepeat(Empty.getDefaultInstance()).build();
    assertThat(Refusal.of(() -> caller.runs().settleStep(settlement)).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_NOT_SETTLEABLE);
  }

  @Test
  @Tag("P13")
  @DisplayName("an operator settles a step in doubt by complete, skip, fail and repeat")
  void settled() {
    var paid = doubtful();
    var complete = SettledCompletion.newBuilder().setOutput(Caller.json("8"));
    var run =
        caller
            .runs()
            .settleStep(settlement(paid.getRun().getId()).setComplete(complete).build())
            .getRun();
    assertThat(run.getOutput()).isEqualTo(Caller.json("8"));
    assertThat(caller.poll("other").getStep().getName()).isEqualTo("ship");
    assertThat(caller.complete(paid.getClaim(), "7").hasClaimLost()).isTrue();

    var skipped = doubtful().getRun().getId();
    var nothing = Empty.getDefaultInstance();
    var _ = caller.runs().settleStep(settlement(skipped).setSkip(nothing).build());
    assertThat(caller.poll("other").getRun().getId()).isEqualTo(skipped);

    var failed = doubtful().getRun().getId();
    var _ =
        caller.runs().settleStep(settlement(failed).setFail(Caller.failure("NOT_PAID")).build());
    assertThat(caller.awaitEnd(failed).getFailure().getCode()).isEqualTo("NOT_PAID");

    var repeated = doubtful();
    var id = repeated.getRun().getId();
    var _ = caller.runs().settleStep(settlement(id).setRepeat(nothing).build());
    var again = caller.poll("other");
    assertThat(again.getStep().getName()).isEqualTo(STEP);
    assertThat(again.getStep().getAttempt()).isEqualTo(2);
    assertThat(caller.complete(repeated.getClaim(), "7").hasClaimLost()).isTrue();
    assertThat(caller.complete(again.getClaim(), "9").hasCompleted()).isTrue();
    assertThat(inDoubt()).isEmpty();
  }

  @Test
  @DisplayName(
      "a run in doubt is cancelled like another one, and its late worker has lost its claim")
  void cancelled() {
    var task = doubtful();
    var request =
        CancelRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(task.getRun().getId())
            .build();
    assertThat(caller.runs().cancelRun(request).getRun().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(caller.complete(task.getClaim(), "7").hasClaimLost()).isTrue();
    assertThat(inDoubt()).isEmpty();
  }
}
