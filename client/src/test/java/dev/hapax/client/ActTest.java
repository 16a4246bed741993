package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.HolderScene.Verb;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.RenewActionRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What actions do besides the rules of {@link HolderTest}. */
@Timeout(60)
class ActTest {

  private final HolderScene scene = new HolderScene(Verb.ACTION);
  private final Entities entities = scene.client.entities();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    scene.close();
  }

  private String work(Claim claim) {
    return "\"" + runs.incrementAndGet() + "\"";
  }

  private ActOutcome<String> act(Action action) {
    return entities.tryAct(action, Codec.jsonText(), this::work);
  }

  private ActOutcome<String> act() {
    return act(HolderScene.action());
  }

  private <Q> List<Q> sent(Class<Q> type) {
    return scene.hapax.entities.requests(type);
  }

  @Test
  @DisplayName("given an action, then its result is recorded, and the entity is the one after it")
  void done() {
    assertThat(act())
        .isInstanceOfSatisfying(
            ActOutcome.Done.class,
            done -> {
              assertThat(done.value()).isEqualTo("\"1\"");
              assertThat(done.entity().status()).isEqualTo("closed");
              assertThat(done.entity().id()).isEqualTo("17");
            });
    assertThat(sent(CompleteActionRequest.class))
        .singleElement()
        .satisfies(request -> assertThat(request.getOutput().getJson()).isEqualTo("\"1\""));

    scene.hapax.entities.put("17", "approved");
    assertThat(
            entities.act(
                "billing", "17", "close", "admin", Codec.jsonText(), claim -> "" + claim.fence()))
        .isEqualTo("102");
    scene.hapax.entities.put("17", "approved");
    assertThat(entities.tryAct(HolderScene.action(), Codec.none(), claim -> null).orThrow())
        .isNull();
    assertThat(sent(CompleteActionRequest.class).get(2).hasOutput()).isFalse();
  }

  @Test
  @DisplayName(
      "given work that fails, then the history distinguishes how, and the caller gets it [C2]")
  void failures() {
    failsAs(
        ActionFailureKind.ACTION_FAILURE_KIND_INVALID, "no lines", new InvalidAction("no lines"));
    failsAs(
        ActionFailureKind.ACTION_FAILURE_KIND_FAILURE,
        "the printer is  out",
        new RetryableFailure("PRINTER", "the printer is\u0000 out"));
    failsAs(
        ActionFailureKind.ACTION_FAILURE_KIND_FAILURE,
        "declined",
        new IOException(new FinalFailure("DECLINED", "declined")));
    failsAs(
        ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION,
        "java.io.IOException: disk full",
        new IOException("disk full"));
    assertThat(act()).as("the next one").isInstanceOf(ActOutcome.Done.class);
  }

  private void failsAs(ActionFailureKind kind, String message, Exception thrown) {
    assertThatThrownBy(
            () ->
                entities.tryAct(
                    HolderScene.action(),
                    Codec.jsonText(),
                    claim -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    List<FailActionRequest> sent = sent(FailActionRequest.class);
    FailActionRequest last = sent.get(sent.size() - 1);
    assertThat(last.getKind()).isEqualTo(kind);
    assertThat(last.getMessage()).isEqualTo(message);
    assertThat(scene.isFree()).isTrue();
  }

  @Test
  @DisplayName("given an entity in another holder's hands, then the outcome names the holder [C1]")
  void claimFailed() {
    Hapax ann = scene.client.actor("ann");
    ann.entities()
        .act(
            "billing",
            "17",
            "close",
            "admin",
            Codec.jsonText(),
            claim -> {
              ActOutcome<String> second = act();
              assertThat(second)
                  .isEqualTo(
                      new ActOutcome.ClaimFailed<>(
                          "ann",
                          Instant.ofEpochSecond(1_000),
                          FakeEntities.STALE_AFTER,
                          "another operation is already in progress: ann"));
              assertThatThrownBy(second::orThrow)
                  .isInstanceOfSatisfying(
                      HapaxException.ClaimFailed.class,
                      failed -> {
                        assertThat(failed.holder()).isEqualTo("ann");
                        assertThat(failed.leaseLeft()).isEqualTo(FakeEntities.STALE_AFTER);
                      });
              return "\"first\"";
            });
    assertThat(runs).hasValue(0);
  }

  @Test
  @DisplayName(
      "given no grant for another reason, then the outcome says which, and nothing runs [C3]")
  void notGranted() {
    ActOutcome<String> guest = act(Action.of("billing", "17", "close", "guest"));
    assertThat(guest).isEqualTo(new ActOutcome.NotAllowed<>());
    assertThatThrownBy(guest::orThrow).isInstanceOf(HapaxException.NotAllowed.class);

    scene.hapax.entities.put("17", "closed");
    assertThat(act()).isEqualTo(new ActOutcome.WrongStatus<>("closed"));
    assertThatThrownBy(act()::orThrow)
        .isInstanceOfSatisfying(
            HapaxException.WrongStatus.class,
            wrong -> assertThat(wrong.status()).isEqualTo("closed"));

    scene.hapax.entities.remote = true;
    scene.hapax.entities.put("17", "closing");
    assertThat(act()).isEqualTo(new ActOutcome.NeedsRecovery<>());
    assertThatThrownBy(act()::orThrow).isInstanceOf(HapaxException.NeedsRecovery.class);

    scene.hapax.entities.strange = true;
    assertThatThrownBy(this::act).isInstanceOf(HapaxException.UnknownAnswer.class);
    assertThat(runs).hasValue(0);
  }

  @Test
  @DisplayName("given an entity of another version than expected, then the action is refused [C8]")
  void expectedVersion() {
    assertThatThrownBy(() -> act(HolderScene.action().expectedVersion(7)))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR);
              assertThat(refused.metadata()).containsEntry("version", "1");
            });
    assertThat(runs).hasValue(0);
    assertThat(act(HolderScene.action().expectedVersion(1))).isInstanceOf(ActOutcome.Done.class);
  }

  @Test
  @DisplayName("given a step without a claim state, then the first of two callers wins [C3]")
  void open() {
    Action open = Action.of("billing", "17", "close", "system");
    ActOutcome<String> slow =
        entities.tryAct(
            open,
            Codec.jsonText(),
            claim -> {
              assertThat(act(open)).isInstanceOf(ActOutcome.Done.class);
              scene.hapax.timing.advance(Duration.ofSeconds(100));
              assertThat(claim.isLost()).as("a renewal found out").isTrue();
              return work(claim);
            });

    assertThat(slow).isEqualTo(new OnceOutcome.ClaimLost<>("VERSION", null));
  }

  @Test
  @DisplayName(
      "given two calls, then each is an attempt of its own, and its repetitions are not [X1]")
  void attempts() {
    scene.hapax.faults.drop("beginAction", 2);
    act();
    scene.hapax.entities.put("17", "approved");
    act();

    List<String> ids =
        sent(BeginActionRequest.class).stream().map(BeginActionRequest::getAttemptId).toList();
    assertThat(ids).hasSize(4).doesNotContain("");
    assertThat(ids.subList(0, 3)).containsOnly(ids.get(0));
    assertThat(ids.get(3)).isNotEqualTo(ids.get(0));
    assertThat(runs).hasValue(2);
  }

  @Test
  @DisplayName("given no lease, then the one of the janitor is renewed at its third")
  void leaseOfTheJanitor() {
    entities.act(
        "billing",
        "17",
        "close",
        "admin",
        Codec.jsonText(),
        claim -> {
          scene.hapax.timing.advance(Duration.ofSeconds(99));
          assertThat(scene.renewals()).isZero();
          scene.hapax.timing.advance(Duration.ofSeconds(1));
          assertThat(scene.renewals()).isEqualTo(1);
          return work(claim);
        });

    assertThat(sent(RenewActionRequest.class).get(0).hasLease()).isFalse();
    assertThat(sent(BeginActionRequest.class).get(0).hasLease()).isFalse();
  }

  @Test
  @DisplayName("given a caller that waits, then it begins after the holder, with its whole lease")
  void waits() throws Exception {
    CountDownLatch granted = new CountDownLatch(1);
    List<Duration> leases = new ArrayList<>();
    CompletableFuture<ActOutcome<String>> second = new CompletableFuture<>();
    ActOutcome<String> first =
        entities.tryAct(
            HolderScene.action(),
            Codec.jsonText(),
            claim -> {
              var unused =
                  OwnThread.run(
                      () ->
                          second.complete(
                              entities.tryAct(
                                  HolderScene.action().wait(Duration.ofSeconds(30)),
                                  Codec.jsonText(),
                                  own -> {
                                    leases.add(own.leaseLeft());
                                    granted.countDown();
                                    return work(own);
                                  })));
              Conditions.until(() -> sent(BeginActionRequest.class).size() == 2);
              scene.hapax.timing.sleepThrough(Duration.ofSeconds(25));
              scene.takeOver();
              granted.await();
              return "\"first\"";
            });

    assertThat(first).isInstanceOf(OnceOutcome.ClaimLost.class);
    assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(ActOutcome.Done.class);
    assertThat(leases.get(0)).isGreaterThan(Duration.ofSeconds(50));
  }

  @Test
  @DisplayName("given an outage, then nothing runs")
  void away() {
    scene.hapax.faults.down(true);

    assertThatThrownBy(this::act)
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasMessageContaining("unreachable");
    assertThat(runs).hasValue(0);
  }

  @Test
  @DisplayName("given a workspace and an actor, then each call has them")
  void sends() {
    scene
        .client
        .workspace("tenant-1")
        .actor("ann")
        .entities()
        .tryAct(HolderScene.action(), Codec.jsonText(), this::work);

    BeginActionRequest begun = sent(BeginActionRequest.class).get(0);
    assertThat(begun.getWorkspace()).isEqualTo("tenant-1");
    assertThat(begun.getActor()).isEqualTo("ann");
    assertThat(begun.getLease().getSeconds()).isEqualTo(60);
    CompleteActionRequest ended = sent(CompleteActionRequest.class).get(0);
    assertThat(ended.getWorkspace()).isEqualTo("tenant-1");
    assertThat(ended.getActor()).isEqualTo("ann");
  }

  @Test
  @DisplayName("given settings out of bounds, then they are refused when they are set")
  void bounds() {
    Action action = HolderScene.action();

    assertThatThrownBy(() -> Action.of("", "17", "close", "admin"))
        .hasMessageContaining("lifecycle");
    assertThatThrownBy(() -> Action.of("billing", "x".repeat(256), "close", "admin"))
        .hasMessageContaining("255");
    assertThatThrownBy(() -> Action.of("billing", "17", "", "admin")).hasMessageContaining("step");
    assertThatThrownBy(() -> Action.of("billing", "17", "close", ""))
        .hasMessageContaining("requester");
    assertThatThrownBy(() -> action.expectedVersion(-1)).hasMessageContaining("expectedVersion");
    assertThatThrownBy(() -> action.wait(Duration.ofSeconds(31))).hasMessageContaining("wait");
    assertThatThrownBy(() -> action.lease(Duration.ofMillis(99))).hasMessageContaining("lease");
    assertThatThrownBy(() -> action.holdAtMost(Duration.ZERO)).hasMessageContaining("holdAtMost");
  }
}
