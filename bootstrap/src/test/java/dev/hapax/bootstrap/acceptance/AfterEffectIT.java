package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AfterEffectIT {
  private static final String EFFECT = "SendBillingEmails";
  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  /** What has to be done now, of these effects. */
  private static List<Task> poll(ClaimCaller caller, int max, int waitSeconds) {
    return caller
        .runs()
        .poll(
            caller
                .runs()
                .polling("worker")
                .clearQueues()
                .addQueues(EFFECT)
                .setMaxTasks(max)
                .setWait(Caller.seconds(waitSeconds)));
  }

  private Task task() {
    var tasks = poll(caller, 1, 20);
    assertThat(tasks).hasSize(1);
    return tasks.getFirst();
  }

  private static String input(String id) {
    return "{\"lifecycle\":\"billing\",\"entity_id\":\"%s\",\"step_key\":\"close\",\"requester\":\"admin\",\"status\":\"closed\",\"version\":3}"
        .formatted(id);
  }

  @Test
  @DisplayName("the effect starts with the transition, once, and is worked as any run [C9]")
  void starts() {
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    assertThat(caller.runs().list()).isEmpty();
    for (var already : List.of(false, true)) {
      assertThat(caller.complete(claim).getCompleted().getAlready()).isEqualTo(already);
    }

    assertThat(caller.runs().list()).hasSize(1);
    var run = caller.runs().list().getFirst();
    assertThat(run.getDefinition()).isEqualTo("hapax.after-effect");
    assertThat(run.getDefinitionVersion()).isEqualTo(EFFECT);
    assertThat(run.getLabelsMap())
        .containsEntry("hapax.lifecycle", ClaimCaller.LIFECYCLE)
        .containsEntry("hapax.entity", "1");
    var task = task();
    assertThat(task.getRun().getId()).isEqualTo(run.getId());
    assertThat(task.getInput().getJson()).isEqualTo(input("1"));
    assertThat(caller.runs().complete(task.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.runs().get(run.getId()).getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("the effect gets the output of its action, and the history keeps it [C9]")
  void output() {
    for (var output :
        List.of(
            Payload.newBuilder().setJson("{\"receipt\": \"r-7\"}").build(),
            Payload.newBuilder().setBinary(ByteString.copyFrom(new byte[] {0, -1, 1})).build())) {
      var id = output.getContentCase().name();
      var _ = caller.approved(id);
      var completion = caller.completion(caller.claimed(id)).toBuilder().setOutput(output);
      assertThat(caller.entities().completeAction(completion.build()).hasCompleted()).isTrue();
      var member =
          output.hasJson() ? ",\"output\":{\"receipt\": \"r-7\"}}" : ",\"output_base64\":\"AP8B\"}";
      assertThat(task().getInput().getJson()).isEqualTo(input(id).replace("}", member));
      assertThat(caller.events(id).getLast().getActionCompleted().getOutput()).isEqualTo(output);
    }
  }

  private static String saying(String terms) {
    return ClaimCaller.BILLING.replaceFirst(
        "\"steps\"", "\"after_effects\": { \"" + EFFECT + "\": " + terms + " }, \"steps\"");
  }

  @Test
  @DisplayName("a lifecycle may name any definition for an effect, once it is registered [C9]")
  void ownDefinition() {
    var text = saying("{ \"definition\": \"mails\", \"definition_version\": \"1\" }");
    var refusal = Refusal.of(() -> caller.apply(text));
    assertThat(refusal.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND);
    assertThat(refusal.message()).contains("\"mails\"");

    caller.runs().define("mails", RunCaller.task("write"), RunCaller.task("send"));
    assertThat(caller.apply(text).getLifecycle().getVersion()).isEqualTo(2);
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    for (var already : List.of(false, true)) {
      assertThat(caller.complete(claim).getCompleted().getAlready()).isEqualTo(already);
    }
    assertThat(caller.runs().list()).hasSize(1);
    var run = caller.runs().list().getFirst();
    assertThat(run.getDefinition()).isEqualTo("mails");
    assertThat(run.getLabelsMap()).containsEntry("hapax.entity", "1");
  }

  @Test
  @DisplayName(
      "a lifecycle may give an effect a lease and a retry of its own, and change " + "them [C9]")
  void ownTerms() {
    for (var attempts : List.of(1, 2)) {
      var _ = caller.apply(saying("{ \"retry\": { \"max_attempts\": " + attempts + " } }"));
      var _ = caller.approved("" + attempts);
      assertThat(caller.complete(caller.claimed("" + attempts)).hasCompleted()).isTrue();
      var first = task();
      var failure =
          caller.runs().failure(first.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build();
      assertThat(caller.runs().worker().failTask(failure).hasFailed()).isTrue();
      var run = caller.runs().get(first.getRun().getId());
      if (attempts == 1) {
        assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
      } else {
        assertThat(task().getStep().getAttempt()).isEqualTo(2);
      }
    }
  }

  @Test
  @DisplayName("the effect starts also where an operator says that the action was done [C9]")
  void doneByHand() {
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    var release =
        caller
            .release("1", "request")
            .setOutcome(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE)
            .build();
    for (var already : List.of(false, true)) {
      var response = caller.entities().releaseClaim(release);
      assertThat(response.getAlready()).isEqualTo(already);
      assertThat(response.getEntity().getStatus()).isEqualTo("closed");
    }
    assertThat(caller.complete(claim).hasClaimLost()).isTrue();
    assertThat(task().getInput().getJson()).isEqualTo(input("1"));
    assertThat(caller.runs().list()).hasSize(1);
    assertThat(caller.events("1").getLast().getClaimReleased().getOutcome())
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
  }

  @Test
  @DisplayName(
      "given a failed, reverted or released action, or one without an effect, then "
          + "no effect runs [C9]")
  void never() {
    for (var kind : List.of(1, 2, 3)) {
      var _ = caller.approved("failed-" + kind);
      var claim = caller.claimed("failed-" + kind);
      assertThat(caller.fail(claim, ActionFailureKind.forNumber(kind)).hasFailed()).isTrue();
    }
    var _ = caller.approved("released");
    var _ = caller.claimed("released");
    var _ = caller.entities().releaseClaim(caller.release("released", "r").build());
    var _ = caller.approved("stale");
    var late = caller.claimedShortly("stale");
    caller.sweepUntilFreed(1);
    assertThat(caller.complete(late).hasClaimLost()).isTrue();
    var _ = caller.approved("system");
    var unclaimed = caller.granted(caller.begin("system", "close", "system")).getClaim();
    assertThat(caller.complete(unclaimed).hasCompleted()).isTrue();
    assertThat(caller.runs().list()).isEmpty();
    assertThat(poll(caller, 10, 0)).isEmpty();

    assertThat(caller.complete(caller.claimed("stale")).hasCompleted()).isTrue();
    assertThat(caller.runs().list()).hasSize(1);
  }

  @Test
  @DisplayName("the id of an effect is the same on each attempt, and another one for each [C9]")
  void stableId() {
    for (var id : List.of("1", "2")) {
      var _ = caller.approved(id);
      assertThat(caller.complete(caller.claimed(id)).hasCompleted()).isTrue();
    }
    var first = task();
    var other = task();
    assertThat(other.getStep().getId()).isNotEmpty().isNotEqualTo(first.getStep().getId());
    var failure =
        caller.runs().failure(first.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build();
    assertThat(caller.runs().worker().failTask(failure).hasFailed()).isTrue();
    var second = task();
    assertThat(second.getStep().getAttempt()).isEqualTo(2);
    assertThat(second.getStep().getId()).isEqualTo(first.getStep().getId());
    assertThat(second.getInput()).isEqualTo(first.getInput());
  }

  @Test
  @DisplayName("an effect that failed for good is seen as such, and can be tried again [C9]")
  void deadLetter() {
    var _ = caller.approved("1");
    assertThat(caller.complete(caller.claimed("1")).hasCompleted()).isTrue();
    var task = task();
    var failure = caller.runs().failure(task.getClaim(), FailureKind.FAILURE_KIND_FINAL).build();
    assertThat(caller.runs().worker().failTask(failure).hasFailed()).isTrue();

    var run = caller.runs().get(task.getRun().getId());
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(run.getFailure()).isEqualTo(Caller.failure("DECLINED"));
    var stuck =
        caller
            .entities()
            .listClaims(
                ListClaimsRequest.newBuilder()
                    .setWorkspace(caller.workspace())
                    .addKinds(ClaimKind.CLAIM_KIND_RUN_FAILED)
                    .build())
            .getClaimsList();
    assertThat(stuck).extracting(HeldClaim::getRunId).containsExactly(run.getId());
    // the transition stands
    assertThat(caller.get("1").getStatus()).isEqualTo("closed");

    var retry =
        RetryRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(run.getId())
            .setRequestId("request")
            .build();
    var _ = caller.runs().runs().retryRun(retry);
    var again = task();
    assertThat(again.getStep().getId()).isEqualTo(task.getStep().getId());
    assertThat(caller.runs().complete(again.getClaim(), "1").hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("a server that is killed right after the transitions loses no effect [C9]")
  void killed() {
    var ids = IntStream.range(0, 30).mapToObj(i -> "" + i).toList();
    try (var two = Deployment.start()) {
      var second = two.add().awaitReady();
      try (var first = ClaimCaller.to(two.target());
          var other = first.via(second)) {
        ids.forEach(first::approved);
        var claims = ids.stream().map(first::claimed).toList();
        var calls =
            ConcurrentCalls.send(
                claims.size(),
                i -> first.futures().completeAction(first.completion(claims.get(i))));
        // the first answer is the sign that some are committed
        assertThat(ConcurrentCalls.answer(calls.getFirst()).hasCompleted()).isTrue();
        two.server().kill9();

        // a caller without an answer retries on another server
        claims.forEach(claim -> assertThat(other.complete(claim).hasCompleted()).isTrue());
        var inputs = new ArrayList<String>();
        Condition.await(
            "all effects come",
            () -> {
              poll(other, 50, 1).forEach(task -> inputs.add(task.getInput().getJson()));
              return inputs.size() >= ids.size();
            });
        assertThat(inputs)
            .containsExactlyInAnyOrderElementsOf(ids.stream().map(AfterEffectIT::input).toList());
        assertThat(other.runs().list())
            .hasSize(ids.size())
            .extracting(Run::getDefinition)
            .containsOnly("hapax.after-effect");
      }
    }
  }
}
