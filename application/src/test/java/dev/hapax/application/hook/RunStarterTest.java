package dev.hapax.application.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunStarterTest {
  private static final DefinitionName ORDER = new DefinitionName(Workspace.DEFAULT, "order");
  private static final HookId TOKEN = HookId.of(Workspace.DEFAULT, "token");

  private final SettableClock clock = new SettableClock();
  private final InMemoryLedger memory = new InMemoryLedger(clock);
  private final SteeredLedger ledger = new SteeredLedger(memory);
  private final Random random = new Random(1);
  private final Node here = new Node();
  private final Node elsewhere = new Node();

  /** A node on the same records, with its own memory of definitions. */
  private final class Node {
    private final Definitions definitions =
        new Definitions(ledger, new InMemoryDefinitionReads(memory));
    private final WaiterQuota places = new WaiterQuota();
    private final RunStarter starter;

    Node() {
      var runs =
          new RunServices(
                  ledger,
                  new InMemoryRunReads(memory, clock),
                  places,
                  clock,
                  random::nextLong,
                  new ManualScheduler(clock))
              .runs();
      var hooks = new Hooks(ledger, new InMemoryHookReads(memory, clock), runs);
      starter = new RunStarter(definitions, runs, hooks);
    }

    void register(String version) {
      var step =
          new StepDefinition(
              "a",
              new StepDefinition.Task(
                  new StepDefinition.Work(
                      "queue", LeaseLimits.DEFAULT_OF_TASK, RetryPolicy.DEFAULT)));
      assertThat(
              definitions
                  .register(
                      new RegisterDefinition(
                          ORDER.version(version), List.of(step), Attribution.SERVER))
                  .join())
          .isNotNull();
    }

    RunStartResult start(RunStartRequest request) {
      return starter.start(request).join();
    }
  }

  private static RunStartRequest request(Optional<String> version, Optional<StartRun.Key> key) {
    return request(version, key, List.of());
  }

  private static RunStartRequest request(ConflictPolicy onConflict) {
    return request(
        Optional.empty(),
        Optional.empty(),
        List.of(new Wanted(TOKEN, "", Duration.ZERO, onConflict)));
  }

  private static RunStartRequest request(
      Optional<String> version, Optional<StartRun.Key> key, List<Wanted> hooks) {
    return new RunStartRequest(
        ORDER,
        version,
        new RunParameters(new Payload.Json("{}"), Map.of()),
        Optional.empty(),
        key,
        hooks.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new NewSignal(hooks.getFirst().onConflict().toString(), "", Optional.empty())),
        hooks,
        Actor.caller("test"));
  }

  private static Optional<StartRun.Key> key(String fingerprint) {
    return key(fingerprint, OnKeyMismatch.ERROR);
  }

  private static Optional<StartRun.Key> key(String fingerprint, OnKeyMismatch onMismatch) {
    return Optional.of(
        new StartRun.Key(
            RunKeyId.of(Workspace.DEFAULT, "key"),
            Fingerprint.of(fingerprint.getBytes(StandardCharsets.UTF_8)),
            StartRun.Key.DEFAULT_RETENTION,
            onMismatch));
  }

  private static Run created(RunStartResult result) {
    assertThat(result).isInstanceOf(RunStartResult.Created.class);
    return ((RunStartResult.Created) result).run();
  }

  @BeforeEach
  void register() {
    here.register("1");
  }

  @Test
  @DisplayName("given a version registered on another node, when a run starts, then it has it")
  void latest() {
    elsewhere.register("2");

    var run = created(here.start(request(Optional.empty(), Optional.empty())));

    assertThat(run.definition().id().version()).isEqualTo("2");
  }

  @Test
  @DisplayName("given no such definition or version, then nothing starts and the result names it")
  void unknown() {
    var version = Optional.of("9");
    assertThat(here.start(request(version, Optional.empty())))
        .isEqualTo(new RunStartResult.DefinitionNotFound(ORDER, version));
  }

  @Test
  @DisplayName("given a used key, then it returns its run, for other values only if allowed")
  void key() {
    var run = created(here.start(request(Optional.empty(), key("one"))));

    for (var repeated :
        List.of(
            request(Optional.empty(), key("one")),
            request(Optional.empty(), key("two", OnKeyMismatch.RETURN_EXISTING)))) {
      assertThat(here.start(repeated))
          .isInstanceOfSatisfying(
              RunStartResult.Existing.class,
              result -> assertThat(result.run().id()).isEqualTo(run.id()));
    }
    assertThat(here.start(request(Optional.empty(), key("two"))))
        .isInstanceOfSatisfying(
            RunStartResult.KeyReused.class,
            result -> {
              assertThat(result.run()).isEqualTo(run.id());
              assertThat(result.found()).map(Run::id).contains(run.id());
            });
  }

  @Test
  @DisplayName("given a token with an owner, then the policy of the start decides")
  void conflict() {
    var owner = created(here.start(request(new ConflictPolicy.Reject())));

    assertThat(here.start(request(new ConflictPolicy.Reject())))
        .isEqualTo(new RunStartResult.Rejected(owner));
    assertThat(elsewhere.start(request(new ConflictPolicy.UseExisting())))
        .isInstanceOfSatisfying(
            RunStartResult.UsedExisting.class,
            result -> assertThat(result.owner().id()).isEqualTo(owner.id()));
    assertThat(elsewhere.start(request(new ConflictPolicy.SignalExisting())))
        .isInstanceOfSatisfying(
            RunStartResult.Signalled.class,
            result -> {
              assertThat(result.owner().id()).isEqualTo(owner.id());
              assertThat(result.disposition()).isEqualTo(SignalDisposition.BUFFERED);
            });
    assertThat(here.start(request(new ConflictPolicy.Supersede(Optional.empty()))))
        .isInstanceOfSatisfying(
            RunStartResult.Superseded.class,
            result -> {
              assertThat(result.superseded()).extracting(Run::id).containsExactly(owner.id());
              assertThat(result.superseded().getFirst().status()).isEqualTo(RunStatus.CANCELLED);
            });
  }

  @Test
  @DisplayName(
      "given no place to wait for the owner of a token, then the start is answered at once")
  void noPlace() {
    var owner = created(here.start(request(new ConflictPolicy.UseExisting())));
    for (var taken = 1; taken < WaiterQuota.MAX_PER_WORKSPACE; taken++) {
      here.places.take(Workspace.DEFAULT);
    }
    ledger.holdAnswers();

    var second =
        here.starter.start(request(new ConflictPolicy.UseExisting()), Duration.ofSeconds(30));
    ledger.letGo();

    assertThat(second).isCompleted();
    assertThat(second.join().run()).contains(owner);
    assertThat(here.places.size()).isEqualTo(WaiterQuota.MAX_PER_WORKSPACE - 1);
  }
}
