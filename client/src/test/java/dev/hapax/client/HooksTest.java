package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.QueueFull;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts and tokens on the server that users test with. */
@Timeout(60)
class HooksTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final HookRequest TOKEN = HookRequest.of("order/1").name("payment");

  private final InMemoryHapax server = InMemoryHapax.start();
  private final Hapax hapax =
      Hapax.builder().channel(server.channel()).json(new FakeJson()).connect();
  private final Runs runs = hapax.runs();
  private final Hooks hooks = hapax.hooks();

  @BeforeEach
  void define() {
    hapax
        .definitions()
        .register(Definition.of("order", "1").signal("payment", signal -> signal.hook("payment")));
  }

  @AfterEach
  void close() {
    hapax.close();
    server.close();
  }

  private Started start(HookRequest hook) {
    return runs.start("order", run -> run.hook(hook));
  }

  @Test
  @DisplayName("given a run that waits for its token, when it gets a signal, then it completes")
  void signals() {
    String runId = start(TOKEN).run().id();

    assertThat(hooks.get("order/1"))
        .isEqualTo(new Owner(runId, RunStatus.RUN_STATUS_WAITING, false));
    assertThat(hooks.signal("order/1", "paid", "by card", "s1"))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
    assertThat(runs.result(runId, String.class, SOON)).isEqualTo("by card");
    assertThatThrownBy(() -> hooks.signal("order/1", "paid", null))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND));
  }

  @Test
  @DisplayName("given a token with an owner, when others start with it, then the policy decides")
  void policies() {
    String owner = start(TOKEN).run().id();

    assertThat(start(TOKEN))
        .isInstanceOfSatisfying(
            Started.Rejected.class,
            rejected ->
                assertThat(rejected.owner())
                    .contains(new Owner(owner, RunStatus.RUN_STATUS_WAITING, false)));
    Started adopted = start(TOKEN.useExisting());
    assertThat(adopted).isInstanceOf(Started.Adopted.class);
    assertThat(adopted.run().id()).isEqualTo(owner);

    Started taken = start(TOKEN.supersede(owner));
    assertThat(taken).isInstanceOf(Started.Created.class);
    assertThat(taken.owner()).contains(new Owner(owner, RunStatus.RUN_STATUS_CANCELLED, true));
    assertThatThrownBy(() -> runs.result(owner, String.class, SOON))
        .isInstanceOf(HapaxException.RunCancelled.class)
        .hasMessage("run " + owner + " was superseded by " + taken.run().id());

    SignalRequest paid = SignalRequest.of("paid").payload("by card");
    Started signalled = runs.start("order", run -> run.hook(TOKEN.signalExisting()).signal(paid));
    assertThat(signalled).isInstanceOf(Started.Signalled.class);
    assertThat(runs.result(taken.run().id(), String.class, SOON)).isEqualTo("by card");
  }

  @Test
  @DisplayName("given a token with an owner, when runs wait for it, then each gets its turn")
  void queue() {
    String owner = start(TOKEN.queue()).run().id();
    Started first = start(TOKEN.queue(1));
    assertThat(first)
        .isInstanceOfSatisfying(
            Started.Queued.class,
            queued -> {
              assertThat(queued.runsAhead()).isZero();
              assertThat(queued.supersededRunIds()).isEmpty();
            });
    assertThat(start(TOKEN.queue(1))).isInstanceOf(Started.Rejected.class);
    Started latest = start(TOKEN.queue(1, QueueFull.QUEUE_FULL_SUPERSEDE));
    assertThat(latest)
        .isInstanceOfSatisfying(
            Started.Queued.class,
            queued -> assertThat(queued.supersededRunIds()).containsExactly(first.run().id()));

    assertThat(hooks.signal("order/1", "paid", "first", "s1"))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
    assertThat(runs.result(owner, String.class, SOON)).isEqualTo("first");
    assertThat(hooks.signal("order/1", "paid", "second", "s2"))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
    assertThat(runs.result(latest.run().id(), String.class, SOON)).isEqualTo("second");
  }

  @Test
  @DisplayName("given a token, when runs request it, then the first one gets it, and may free it")
  void create() {
    String first = runs.start("order").run().id();
    String second = runs.start("order").run().id();

    HookAnswer answer = hooks.create(first, TOKEN);
    assertThat(answer.conflict()).isEmpty();
    assertThat(answer.fingerprint()).hasSize(16);
    assertThat(answer.isRepeated()).isFalse();
    assertThat(hooks.create(first, TOKEN).isRepeated()).isTrue();
    HookAnswer conflict = hooks.create(second, TOKEN);
    assertThat(conflict.conflict()).contains(new Owner(first, RunStatus.RUN_STATUS_WAITING, false));
    assertThat(conflict.fingerprint()).isEmpty();

    assertThat(hooks.dispose("order/1", first, "no longer needed")).isTrue();
    assertThat(hooks.dispose("order/1", first)).isFalse();
    assertThat(hooks.create(second, TOKEN).conflict()).isEmpty();
    assertThat(runs.awaitToken("order/1", Duration.ZERO).id()).isEqualTo(second);
    String third = runs.start("order").run().id();
    assertThat(hooks.create(third, TOKEN.supersede(second)).conflict()).isEmpty();
    assertThat(runs.get(second).supersededBy()).isEqualTo(third);
  }

  @Test
  @DisplayName("given runs with labels and statuses, when they are listed, then a filter selects")
  void lists() {
    String first = runs.start("order", run -> run.label("shop", "berlin").input(1)).run().id();
    String second = runs.start("order", run -> run.label("shop", "berlin")).run().id();
    String other = runs.start("order", run -> run.label("shop", "rome")).run().id();
    runs.cancel(second, "no longer needed");

    assertThat(runs.list(all -> all)).extracting(Run::id).contains(first, second, other);
    assertThat(runs.list(by -> by.label("shop", "berlin")))
        .extracting(Run::id)
        .containsExactlyInAnyOrder(first, second);
    assertThat(runs.list(by -> by.status(RunStatus.RUN_STATUS_CANCELLED).definition("order")))
        .extracting(Run::id)
        .containsExactly(second);
    assertThat(runs.list(by -> by.createdBefore(InMemoryHapax.BEGINNING))).isEmpty();
    assertThat(
            runs.list(
                by -> by.full().label("shop", "berlin").createdAfter(InMemoryHapax.BEGINNING)))
        .extracting(run -> run.message().getInput().getJson())
        .contains("1");
    assertThat(runs.list(by -> by.failureCode("NONE"))).isEmpty();
    assertThat(
            runs.list(
                by ->
                    by.endedAfter(InMemoryHapax.BEGINNING)
                        .endedBefore(InMemoryHapax.BEGINNING.plusSeconds(60))))
        .extracting(Run::id)
        .containsExactly(second);
  }

  @Test
  @DisplayName("given a run that has ended, when it is watched, then its history is delivered")
  void watches() {
    String runId = start(TOKEN).run().id();
    hooks.signal("order/1", "paid", null);
    List<String> types = new CopyOnWriteArrayList<>();

    try (RunWatch watch = runs.watch(runId, 0, event -> types.add(event.type().name()))) {
      assertThat(watch.await(SOON)).isTrue();
    }

    assertThat(types).startsWith("RUN_EVENT_TYPE_CREATED").endsWith("RUN_EVENT_TYPE_COMPLETED");
  }
}
