package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.RecoveryOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time stands still; polls and checks run on threads of their own. */
@Timeout(60)
class JanitorTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final List<Thread> checks = new CopyOnWriteArrayList<>();
  private final Hapax client = client();
  private final CountDownLatch go = new CountDownLatch(1);
  private final List<Recovery> seen = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    go.countDown();
    client.close();
    hapax.close();
  }

  private Hapax.Builder builder() {
    return Hapax.builder().channel(hapax.channel).timing(hapax.timing).workspace("tenant-1");
  }

  private Hapax client() {
    return builder()
        .executor(
            task -> {
              Thread thread = new Thread(task);
              checks.add(thread);
              thread.start();
            })
        .connect();
  }

  private Janitor.Builder janitor() {
    return client.janitor("payments");
  }

  private Verdict check(Recovery recovery) {
    seen.add(recovery);
    return recovery.entity().id().startsWith("paid") ? Verdict.COMPLETE : Verdict.REVERT;
  }

  private Verdict checkUntilLetGo(Recovery recovery) throws InterruptedException {
    seen.add(recovery);
    go.await();
    return Verdict.REVERT;
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
  @DisplayName("given entities of expired holders, then the verdict about each is recorded")
  void records() {
    hapax.janitors.stick("paid-1");
    hapax.janitors.stick("unpaid-1");

    try (Janitor janitor = janitor().start(this::check)) {
      Conditions.until(() -> hasEnded("paid-1") && hasEnded("unpaid-1"));
      assertThat(janitor.drain(Duration.ofHours(1))).isTrue();
    }

    assertThat(hapax.janitors.outcome("paid-1"))
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
    assertThat(hapax.janitors.outcome("unpaid-1"))
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    assertThat(seen)
        .allSatisfy(
            recovery -> {
              assertThat(recovery.lostFence()).isEqualTo(150);
              assertThat(recovery.fence()).isGreaterThan(recovery.lostFence());
              assertThat(recovery.step()).isEqualTo("apply_payment");
            });
    PollRecoveriesRequest poll = polls().get(0);
    assertThat(poll.getModule()).isEqualTo("payments");
    assertThat(poll.getWorkspace()).isEqualTo("tenant-1");
    assertThat(poll.getMaxRecoveries()).isEqualTo(8);
    assertThat(poll.getLease().getSeconds()).isEqualTo(60);
    assertThat(poll.getWait().getSeconds()).isEqualTo(20);
    assertThat(completions())
        .allSatisfy(
            completion -> {
              assertThat(completion.getActor()).startsWith("janitor-");
              assertThat(completion.getWorkspace()).isEqualTo("tenant-1");
            });
  }

  @Test
  @DisplayName("given a contract, then it is declared before the first poll")
  void declares() {
    JanitorTerms terms = JanitorTerms.remote("payments").allClaimStates();

    try (Janitor janitor = janitor().declare(terms).start(this::check)) {
      assertThat(janitor).isNotNull();
      assertThat(hapax.janitors.declared("payments")).isEqualTo(terms.message());
    }

    assertThatIllegalArgumentException()
        .isThrownBy(() -> janitor().declare(JanitorTerms.hosted("payments")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> janitor().declare(JanitorTerms.remote("billing")));
    assertThatThrownBy(() -> client.janitor("")).hasMessageContaining("module");
    assertThatThrownBy(() -> janitor().concurrency(0)).hasMessageContaining("concurrency");
    assertThatThrownBy(() -> janitor().concurrency(501)).hasMessageContaining("concurrency");
    assertThatThrownBy(() -> janitor().lease(Duration.ofMillis(99))).hasMessageContaining("lease");
  }

  @Test
  @DisplayName("given a lost response to a poll, then its recoveries are checked once [X1]")
  void pollIsLost() {
    hapax.janitors.stick("paid-1");
    hapax.faults.drop("pollRecoveries", 1);

    try (Janitor janitor = janitor().start(this::check)) {
      assertThat(janitor).isNotNull();
      Conditions.until(
          () -> {
            hapax.timing.advance(Duration.ofMillis(10));
            return hasEnded("paid-1");
          });
    }

    assertThat(seen).hasSize(1);
    assertThat(polls().get(1).getAttemptId()).isEqualTo(polls().get(0).getAttemptId());
  }

  @Test
  @DisplayName("given a lost response to a verdict, then it is repeated [X1]")
  void verdictIsLost() {
    hapax.janitors.stick("paid-1");
    hapax.faults.drop("completeRecovery", 2);

    try (Janitor janitor = janitor().start(this::check)) {
      assertThat(janitor).isNotNull();
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
  @DisplayName("given a check that throws, then nothing is recorded until the lease expires")
  void undecided() {
    hapax.janitors.stick("paid-1");

    try (Janitor janitor =
        janitor()
            .lease(Duration.ofSeconds(30))
            .start(
                recovery -> {
                  if (seen.isEmpty()) {
                    seen.add(recovery);
                    throw new IllegalStateException("the database is away");
                  }
                  return check(recovery);
                })) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> seen.size() == 1 && polls().size() == 2);
      assertThat(completions()).isEmpty();
      hapax.timing.sleepThrough(Duration.ofSeconds(30));
      hapax.janitors.wake();
      Conditions.until(() -> hasEnded("paid-1"));
    }
    assertThat(seen.get(1).fence()).isGreaterThan(seen.get(0).fence());
  }

  @Test
  @DisplayName("given more recoveries than it checks at once, then the others wait")
  void concurrency() {
    for (int i = 0; i < 5; i++) {
      hapax.janitors.stick("unpaid-" + i);
    }

    try (Janitor janitor = janitor().concurrency(2).start(this::checkUntilLetGo)) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> seen.size() == 2);
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
  @DisplayName("given a check that took too long, then another process has the recovery")
  void tooLate() {
    hapax.janitors.stick("unpaid-1");

    try (LogRecorder log = LogRecorder.of(Janitor.class);
        Janitor janitor = janitor().concurrency(1).start(this::checkUntilLetGo)) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> seen.size() == 1);
      hapax.timing.sleepThrough(Duration.ofSeconds(61));
      try (Janitor other = janitor().start(this::check)) {
        assertThat(other).isNotNull();
        Conditions.until(() -> hasEnded("unpaid-1"));
      }
      go.countDown();
      Conditions.until(
          () -> log.lines().contains("WARN recovery of invoice unpaid-1 was lost: LEASE_LOST"));
    }
  }

  @Test
  @DisplayName("given a drain, then running checks end and are recorded, and none begins")
  void drains() throws Exception {
    hapax.janitors.stick("unpaid-1");
    Janitor janitor = janitor().start(this::checkUntilLetGo);
    Conditions.until(() -> seen.size() == 1 && polls().size() == 2);

    CompletableFuture<Boolean> drained = OwnThread.supply(() -> janitor.drain(Duration.ofHours(1)));
    // the last poll is sent once more, without a wait
    Conditions.until(() -> polls().size() == 3);
    assertThat(polls().get(2).getAttemptId()).isEqualTo(polls().get(1).getAttemptId());
    hapax.janitors.stick("unpaid-2");
    assertThat(drained).isNotDone();
    go.countDown();

    assertThat(drained.get(20, TimeUnit.SECONDS)).isTrue();
    janitor.awaitStopped();
    assertThat(hasEnded("unpaid-1")).isTrue();
    assertThat(seen).as("nothing new").hasSize(1);
  }

  @Test
  @DisplayName("given a check beyond the time of a drain, then its verdict is dropped")
  void abandons() throws Exception {
    hapax.janitors.stick("unpaid-1");
    Janitor janitor = janitor().start(this::checkUntilLetGo);
    Conditions.until(() -> seen.size() == 1);
    CompletableFuture<Boolean> drained =
        OwnThread.supply(() -> janitor.drain(Duration.ofMinutes(1)));
    Conditions.until(() -> hapax.timing.hasTaskIn(Duration.ofMinutes(1)));

    hapax.timing.advance(Duration.ofMinutes(1));

    assertThat(drained.get(20, TimeUnit.SECONDS)).isFalse();
    go.countDown();
    for (Thread check : checks) {
      check.join();
    }
    assertThat(completions()).isEmpty();
  }

  @Test
  @DisplayName("given an executor that takes nothing, then recoveries are left to their leases")
  void rejected() {
    hapax.janitors.stick("paid-1");

    try (Hapax full =
            builder()
                .executor(
                    task -> {
                      throw new RejectedExecutionException("full");
                    })
                .connect();
        Janitor janitor = full.janitor("payments").start(this::check)) {
      assertThat(janitor).isNotNull();
      Conditions.until(() -> polls().size() >= 2);
    }

    assertThat(completions()).isEmpty();
  }
}
