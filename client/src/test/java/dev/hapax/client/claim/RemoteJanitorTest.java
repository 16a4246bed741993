package dev.hapax.client.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Conditions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.ManualTiming;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RecoveryOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time stands still; what looks runs on threads of its own. */
@Timeout(60)
class RemoteJanitorTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final CountDownLatch go = new CountDownLatch(1);
  private final List<Recovery> seen = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    go.countDown();
    hapax.close();
  }

  private RemoteJanitorBuilder janitor() {
    return hapax.janitor().executor(task -> new Thread(task).start());
  }

  private RecoveryVerdict look(Recovery recovery) {
    seen.add(recovery);
    return recovery.getEntity().getId().startsWith("paid")
        ? RecoveryVerdict.COMPLETE
        : RecoveryVerdict.REVERT;
  }

  private RecoveryVerdict lookUntilLetGo(Recovery recovery) throws InterruptedException {
    seen.add(recovery);
    go.await();
    return RecoveryVerdict.REVERT;
  }

  private boolean hasEnded(String entity) {
    return hapax.janitors.outcome(entity) != RecoveryOutcome.RECOVERY_OUTCOME_UNSPECIFIED;
  }

  private List<PollRecoveriesRequest> polls() {
    return hapax.janitors.requests(PollRecoveriesRequest.class);
  }

  private List<CompleteRecoveryRequest> completions() {
    return hapax.janitors.requests(CompleteRecoveryRequest.class);
  }

  @Test
  void tellsHapaxWhatItFound() {
    hapax.janitors.stick("paid-1");
    hapax.janitors.stick("unpaid-1");

    try (RemoteJanitor janitor =
        hapax
            .janitor(options -> options.withWorkspace("tenant-1"))
            .executor(task -> new Thread(task).start())
            .start(this::look)) {
      Conditions.until(() -> hasEnded("paid-1") && hasEnded("unpaid-1"));
      assertThat(janitor).isNotNull();
    }

    assertThat(hapax.janitors.outcome("paid-1"))
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
    assertThat(hapax.janitors.outcome("unpaid-1"))
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    assertThat(seen)
        .allSatisfy(
            recovery ->
                assertThat(recovery.getClaim().getFence())
                    .isGreaterThan(recovery.getLost().getFence()));
    PollRecoveriesRequest poll = polls().get(0);
    assertThat(poll.getModule()).isEqualTo("payments");
    assertThat(poll.getWorkspace()).isEqualTo("tenant-1");
    assertThat(poll.getMaxRecoveries()).isEqualTo(8);
    assertThat(poll.getLease().getSeconds()).isEqualTo(60);
    assertThat(completions())
        .allSatisfy(
            completion -> {
              assertThat(completion.getActor()).isEqualTo("janitor-1");
              assertThat(completion.getWorkspace()).isEqualTo("tenant-1");
            });
  }

  @Test
  void declaresItselfBeforeItPolls() {
    JanitorTerms terms = JanitorTerms.remote("payments").withAllClaimStates();

    try (RemoteJanitor janitor = janitor().declare(terms).start(this::look)) {
      assertThat(janitor).isNotNull();
      assertThat(hapax.janitors.declared("payments")).isEqualTo(terms.toProto());
      assertThat(terms.toProto().getAllClaimStates()).isTrue();
    }
  }

  @Test
  void declaresOnlyRemoteTermsOfItsModule() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> janitor().declare(JanitorTerms.hosted("payments")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> janitor().declare(JanitorTerms.remote("billing")));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new JanitorTerms(
                    "payments",
                    Set.of("a"),
                    true,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    true));
  }

  @Test
  void waitsForWhatGetsStuckLater() {
    try (RemoteJanitor janitor = janitor().start(this::look)) {
      assertThat(janitor).isNotNull();
      hapax.timing.advance(Duration.ofSeconds(50));
      assertThat(polls()).as("each waited for 20 s").hasSize(3);
      assertThat(polls())
          .extracting(PollRecoveriesRequest::getAttemptId)
          .doesNotContain("")
          .doesNotHaveDuplicates();

      hapax.janitors.stick("paid-1");

      Conditions.until(() -> hasEnded("paid-1"));
    }
  }

  @Test
  void recoveriesOfALostAnswerComeAgainWithTheSameAttemptId() {
    hapax.janitors.stick("paid-1");
    hapax.faults.drop("pollRecoveries", 1);

    try (RemoteJanitor janitor = janitor().start(this::look)) {
      assertThat(janitor).isNotNull();
      hapax.timing.advance(Duration.ofSeconds(1));
      Conditions.until(() -> hasEnded("paid-1"));
    }

    assertThat(seen).hasSize(1);
    assertThat(polls().get(1).getAttemptId()).isEqualTo(polls().get(0).getAttemptId());
  }

  @Test
  void whatItFoundIsToldAgainAfterALostAnswer() {
    hapax.janitors.stick("paid-1");
    hapax.faults.drop("completeRecovery", 2);

    try (RemoteJanitor janitor = janitor().start(this::look)) {
      assertThat(janitor).isNotNull();
      // a retry is set some time after the completion before it was seen
      Conditions.until(
          () -> {
            hapax.timing.advance(Duration.ofMillis(10));
            return completions().size() == 3;
          });
    }

    assertThat(completions())
        .extracting(CompleteRecoveryRequest::getOutcome)
        .containsOnly(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
    assertThat(seen).hasSize(1);
  }

  @Test
  void whereItCannotTellItSaysNothingAndIsAskedAgain() {
    hapax.janitors.stick("paid-1");

    try (RemoteJanitor janitor =
        janitor()
            .start(
                recovery -> {
                  if (seen.isEmpty()) {
                    seen.add(recovery);
                    throw new IllegalStateException("the database is away");
                  }
                  return look(recovery);
                })) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> seen.size() == 1 && polls().size() == 2);
      hapax.timing.advance(Duration.ofSeconds(50));
      assertThat(completions()).isEmpty();

      hapax.timing.advance(Duration.ofSeconds(20));

      Conditions.until(() -> hasEnded("paid-1"));
    }
    assertThat(seen.get(1).getClaim().getFence()).isGreaterThan(seen.get(0).getClaim().getFence());
  }

  @Test
  void looksIntoNoMoreAtOnceThanItMay() {
    for (int i = 0; i < 5; i++) {
      hapax.janitors.stick("unpaid-" + i);
    }

    try (RemoteJanitor janitor = janitor().concurrency(2).start(this::lookUntilLetGo)) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> seen.size() == 2);
      hapax.timing.advance(Duration.ofSeconds(30));
      assertThat(seen).hasSize(2);
      assertThat(polls()).hasSize(1);

      go.countDown();

      for (int i = 0; i < 5; i++) {
        String entity = "unpaid-" + i;
        Conditions.until(() -> hasEnded(entity));
      }
    }
    assertThat(polls()).allMatch(poll -> poll.getMaxRecoveries() <= 2);
  }

  @Test
  void aRecoveryThatTookTooLongBelongsToAnotherWorker() {
    hapax.janitors.stick("unpaid-1");

    try (RemoteJanitor janitor = janitor().concurrency(1).start(this::lookUntilLetGo)) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> seen.size() == 1);
      hapax.timing.advance(Duration.ofSeconds(61));
      RemoteJanitor other = hapax.janitor().executor(Runnable::run).start(this::look);
      assertThat(hapax.janitors.outcome("unpaid-1"))
          .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);

      go.countDown();

      Conditions.until(() -> completions().size() == 2);
      other.close();
    }
  }

  @Test
  void asksAgainAfterARefusal() {
    hapax.janitors.unknown = true;
    hapax.janitors.stick("paid-1");

    try (RemoteJanitor janitor = janitor().start(this::look)) {
      assertThat(janitor).isNotNull();
      assertThat(polls()).hasSize(1);
      hapax.janitors.unknown = false;

      hapax.timing.advance(Duration.ofSeconds(5));

      Conditions.until(() -> hasEnded("paid-1"));
    }
  }

  @Test
  void stoppingLetsThoseLookThatAreAtIt() throws Exception {
    hapax.janitors.stick("unpaid-1");
    RemoteJanitor janitor = janitor().start(this::lookUntilLetGo);
    Conditions.until(() -> seen.size() == 1);

    CompletableFuture<Boolean> stopped = janitor.stop(Duration.ofHours(1));
    hapax.janitors.stick("unpaid-2");
    assertThat(stopped).isNotDone();
    go.countDown();

    assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
    janitor.awaitStopped();
    assertThat(hasEnded("unpaid-1")).isTrue();
    assertThat(seen).as("nothing new").hasSize(1);
  }

  @Test
  void stoppingGivesUpInTheEnd() throws Exception {
    hapax.janitors.stick("unpaid-1");
    RemoteJanitor janitor = janitor().start(this::lookUntilLetGo);
    Conditions.until(() -> seen.size() == 1);
    CompletableFuture<Boolean> stopped = janitor.stop(Duration.ofMinutes(1));

    hapax.timing.advance(Duration.ofMinutes(1));

    assertThat(stopped.get(20, TimeUnit.SECONDS)).isFalse();
    go.countDown();
    janitor.close();
    assertThat(completions()).isEmpty();
  }

  @Test
  void anExecutorThatTakesNothingLeavesItToTheLease() {
    hapax.janitors.stick("paid-1");

    RemoteJanitor janitor =
        hapax
            .janitor()
            .executor(
                task -> {
                  throw new RejectedExecutionException("full");
                })
            .start(this::look);

    janitor.close();
    assertThat(completions()).isEmpty();
  }

  @Test
  void refusesSettingsOutOfBounds() {
    assertThatThrownBy(() -> HapaxClient.on(hapax.channel).newRemoteJanitor(""))
        .hasMessageContaining("module");
    assertThatThrownBy(() -> janitor().concurrency(0)).hasMessageContaining("concurrency");
    assertThatThrownBy(() -> janitor().concurrency(501)).hasMessageContaining("concurrency");
    assertThatThrownBy(() -> janitor().lease(Duration.ofMillis(99))).hasMessageContaining("lease");
    assertThatThrownBy(() -> janitor().pollWait(Duration.ofSeconds(31)))
        .hasMessageContaining("pollWait");
  }
}
