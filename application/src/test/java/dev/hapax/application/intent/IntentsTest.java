package dev.hapax.application.intent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Digest;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentOutcome.StartDisposition;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.monitoring.WorkEvents;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.intent.SimulatedInbox;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IntentsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final DefinitionName ORDER = new DefinitionName(Workspace.DEFAULT, "order");

  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final SimulatedInbox inbox = new SimulatedInbox(ledger, clock);
  private final Definitions definitions =
      new Definitions(ledger, new InMemoryDefinitionReads(ledger));
  private final Intents intents = node();
  private int number;

  private Intents node() {
    var targets = IntentTargets.of(ledger, clock, timer);
    return new Intents(
        ledger,
        inbox,
        definitions,
        targets.runs(),
        targets.hooks(),
        start -> new Fingerprint(Digest.sha256(start.parameters().input().toString())),
        new WaiterQuota(),
        clock,
        timer);
  }

  @BeforeEach
  void begin() {
    register("1");
    intents.start();
    timer.runDue();
  }

  private void register(String version) {
    var step =
        new StepDefinition(
            "a",
            new StepDefinition.Task(
                new StepDefinition.Work(
                    "queue", LeaseLimits.DEFAULT_OF_TASK, RetryPolicy.DEFAULT)));
    definitions
        .register(
            new RegisterDefinition(
                ORDER.version(version),
                List.of(step),
                new Attribution("test", "", PrincipalName.NONE)))
        .join();
  }

  private PostedIntent posted(IntentVerb verb, IntentRequest request) {
    return new PostedIntent(
        new IntentId(Workspace.DEFAULT, new UUID(7, number)),
        number,
        new Intent.Posted(new IntentOrigin(verb, "shop", clock.instant()), 0, Optional.empty()),
        request,
        1);
  }

  private PostedIntent start(String definition, Optional<String> key) {
    number++;
    var run = new RunId(Workspace.DEFAULT, new UUID(7, number));
    return posted(
        IntentVerb.START_RUN,
        new IntentRequest.Start(
            run,
            new DefinitionName(Workspace.DEFAULT, definition),
            Optional.empty(),
            new RunParameters(new Payload.Json("{}"), Map.of()),
            Optional.empty(),
            key.map(
                text ->
                    new IntentRequest.Start.Key(
                        RunKeyId.of(Workspace.DEFAULT, text),
                        Duration.ofDays(1),
                        OnKeyMismatch.ERROR)),
            Optional.empty(),
            Optional.empty()));
  }

  private PostedIntent signal(RunId run) {
    number++;
    return posted(
        IntentVerb.SIGNAL_RUN,
        new IntentRequest.SignalTo(run, new NewSignal("s" + number, "note", Optional.empty())));
  }

  private PostedIntent committed(PostedIntent intent) {
    var transaction = inbox.begin();
    transaction.post(intent);
    transaction.commit();
    return intent;
  }

  private Optional<IntentOutcome> outcome(PostedIntent intent) {
    return ledger.records().get(intent.id()) instanceof Intent.Taken taken
        ? Optional.of(taken.outcome())
        : Optional.empty();
  }

  @Test
  @Tag("D2")
  @DisplayName("given a committed start, then it is taken within a second, or when nudged")
  void taken() {
    var first = committed(start("order", Optional.empty()));
    assertThat(outcome(first)).isEmpty();
    timer.advance(SECOND);
    assertThat(outcome(first))
        .hasValueSatisfying(taken -> assertThat(taken).isInstanceOf(IntentOutcome.Started.class));
    var second = committed(start("order", Optional.empty()));
    intents.nudge();
    timer.advance(Duration.ofMillis(10));
    assertThat(outcome(second)).isPresent();
  }

  @Test
  @DisplayName(
      "given a wait for an intent, then it scans for the intent, and ends when it is taken")
  void awaited() {
    var id = committed(start("order", Optional.empty())).id();
    var waiting = intents.await(id, Duration.ofSeconds(5));
    timer.advance(Duration.ofMillis(10));
    assertThat(waiting.join())
        .map(IntentReads.Found::intent)
        .hasValueSatisfying(found -> assertThat(found).isInstanceOf(Intent.Taken.class));
    var unknown = new IntentId(Workspace.DEFAULT, new UUID(7, 99));
    assertThat(intents.await(unknown, Duration.ofSeconds(5)).join()).isEmpty();
  }

  @Test
  @Tag("D3")
  @DisplayName("given a definition that another node has registered since, then it is the latest")
  void latest() {
    var first = committed(start("order", Optional.of("k")));
    timer.advance(SECOND);
    new Definitions(ledger, new InMemoryDefinitionReads(ledger))
        .register(
            new RegisterDefinition(
                ORDER.version("2"),
                definition("1"),
                new Attribution("test", "", PrincipalName.NONE)))
        .join();
    var second = committed(start("order", Optional.empty()));
    var third = committed(start("order", Optional.of("k")));
    timer.advance(SECOND);
    assertThat(run(second.id().run()).definition().id().version()).isEqualTo("2");
    assertThat(outcome(third))
        .contains(
            new IntentOutcome.Started(
                StartDisposition.EXISTING,
                Optional.of(first.id().run()),
                Optional.empty(),
                Optional.empty()));
  }

  private List<StepDefinition> definition(String version) {
    return definitions.find(ORDER.version(version)).join().orElseThrow().steps();
  }

  private Run run(RunId id) {
    return (Run) Objects.requireNonNull(ledger.records().get(id));
  }

  @Test
  @Tag("D8")
  @DisplayName("given an unknown definition, then it fails, and later intents are taken")
  void unknownDefinition() {
    var bad = committed(start("nothing", Optional.empty()));
    var good = committed(start("order", Optional.empty()));
    timer.advance(SECOND);
    assertThat(outcome(bad))
        .contains(
            new IntentOutcome.Failed(
                IntentError.DEFINITION_NOT_FOUND, Optional.empty(), "nothing"));
    assertThat(outcome(good)).isPresent();
  }

  @Test
  @Tag("D9")
  @DisplayName("given a database that is away, then all is taken when it is back")
  void away() {
    inbox.breaks(true);
    var posted = new ArrayList<PostedIntent>();
    for (var i = 0; i < 60; i++) {
      posted.add(committed(start("order", Optional.empty())));
      timer.advance(SECOND);
    }
    assertThat(posted).allMatch(intent -> outcome(intent).isEmpty());
    inbox.breaks(false);
    inbox.pages(7);
    timer.advance(Duration.ofSeconds(2));
    assertThat(posted).allMatch(intent -> outcome(intent).isPresent());
  }

  @Test
  @DisplayName("given intents that are taken, then each is one event with its role and its outcome")
  void workEvents() {
    var events = new ArrayList<WorkEvent>();
    ledger.onChanges(new WorkEvents(events::add)::committed);
    var start = committed(start("order", Optional.empty()));
    var run = start.id().run();
    number++;
    var cancel = committed(posted(IntentVerb.CANCEL_RUN, new IntentRequest.Cancel(run, "")));
    timer.advance(SECOND);

    assertThat(events)
        .filteredOn(WorkEvent.IntentTaken.class::isInstance)
        .containsExactly(
            new WorkEvent.IntentTaken(
                start.id(), start.posted().origin(), outcome(start).orElseThrow()),
            new WorkEvent.IntentTaken(
                cancel.id(), cancel.posted().origin(), new IntentOutcome.Cancelled(run)));
  }

  @Test
  @Tag("D8")
  @DisplayName("given a full inbox, then its signals wait in order, and others do not")
  void fullInbox() {
    var run = committed(start("order", Optional.empty())).id().run();
    var signals = new ArrayList<PostedIntent>();
    for (var i = 0; i < Inbox.MAX_UNCONSUMED + 3; i++) {
      signals.add(committed(signal(run)));
    }
    timer.advance(Duration.ofSeconds(5));
    var other = committed(start("order", Optional.empty()));
    timer.advance(SECOND);
    assertThat(outcome(other)).isPresent();
    var late = signals.subList(Inbox.MAX_UNCONSUMED, signals.size());
    assertThat(late).allMatch(intent -> outcome(intent).isEmpty());
    number++;
    var cancel = posted(IntentVerb.CANCEL_RUN, new IntentRequest.Cancel(run, ""));
    var _ = committed(cancel);
    clock.advance(Intent.Posted.RETRY_TIME);
    timer.advance(SECOND.multipliedBy(10));
    assertThat(late.stream().map(this::outcome))
        .containsOnly(
            Optional.of(new IntentOutcome.Failed(IntentError.INBOX_FULL, Optional.of(run), "")));
    assertThat(outcome(cancel)).contains(new IntentOutcome.Cancelled(run));
  }

  @ParameterizedTest
  @Tag("D5")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @DisplayName("given random transactions, two nodes and outages, then runs are what was committed")
  void random(long seed) {
    var random = new Random(seed);
    node().start();
    inbox.pages(20);
    var open = new ArrayList<SimulatedInbox.Transaction>();
    var committed = new ArrayList<PostedIntent>();
    for (var i = 0; i < 1_000; i++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> open.add(inbox.begin());
        case 3 -> {
          if (!open.isEmpty()) {
            open.remove(random.nextInt(open.size())).rollBack();
          }
        }
        case 4, 5 -> {
          if (!open.isEmpty()) {
            committed.addAll(open.remove(random.nextInt(open.size())).commit());
          }
        }
        case 6 -> inbox.breaks(random.nextInt(4) == 0);
        default -> timer.advance(Duration.ofMillis(random.nextInt(1_500)));
      }
      if (!open.isEmpty()) {
        open.get(random.nextInt(open.size())).post(start("order", Optional.empty()));
      }
    }
    inbox.breaks(false);
    // a retry after the outage, and a scan; a full scan would be later
    timer.advance(Duration.ofSeconds(3));
    var runs = new HashSet<>();
    ledger.records().keySet().stream().filter(RunId.class::isInstance).forEach(runs::add);
    assertThat(committed).hasSizeGreaterThan(50);
    assertThat(runs)
        .isEqualTo(new HashSet<>(committed.stream().map(intent -> intent.id().run()).toList()));
  }
}
