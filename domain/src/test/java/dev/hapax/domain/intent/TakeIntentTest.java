package dev.hapax.domain.intent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.intent.IntentOutcome.Failed;
import dev.hapax.domain.intent.IntentOutcome.StartDisposition;
import dev.hapax.domain.intent.IntentOutcome.Started;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TakeIntentTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final HookId TOKEN = HookId.of(Workspace.DEFAULT, "order/1");
  private static final Definition ORDER = Steps.definition(Steps.task("charge"));
  private final Map<RecordKey<?>, Object> records = new HashMap<>();
  private Instant now = NOW;

  private static IntentId intent(int number) {
    return new IntentId(Workspace.DEFAULT, new UUID(7, number));
  }

  private IntentId posted(int number, IntentVerb verb) {
    var id = intent(number);
    records.put(id, new Intent.Posted(new IntentOrigin(verb, "shop", now), 0, Optional.empty()));
    return id;
  }

  private <O> O submit(Command<O> command) {
    var loaded = new HashMap<RecordKey<?>, Object>();
    command
        .keys()
        .forEach(
            key -> {
              if (records.containsKey(key)) {
                loaded.put(key, records.get(key));
              }
            });
    var batch = new Batch(loaded, now);
    try {
      var outcome = batch.decide(command);
      batch.changes().forEach((key, change) -> records.put(key, change.after()));
      return outcome;
    } catch (UnlockedRecordsException e) {
      return submit(e.widened(command));
    }
  }

  private IntentOutcome taken(IntentId id, IntentCommand command) {
    var outcome = submit(new TakeIntent(id, command));
    assertThat(outcome).isInstanceOf(TakeOutcome.Taken.class);
    assertThat(records.get(id))
        .isInstanceOfSatisfying(
            Intent.Taken.class,
            taken ->
                assertThat(taken.outcome()).isEqualTo(((TakeOutcome.Taken) outcome).outcome()));
    return ((TakeOutcome.Taken) outcome).outcome();
  }

  private StartRun start(RunId run) {
    return start(run, Optional.empty());
  }

  private static StartRun start(RunId run, Optional<NewSignal> signal) {
    return new StartRun(
        run,
        ORDER,
        new Payload.Json("{}"),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        signal,
        new IntentOrigin(IntentVerb.START_RUN, "shop", NOW).actor());
  }

  private RunId started(int number) {
    var id = posted(number, IntentVerb.START_RUN);
    var outcome = taken(id, new IntentCommand.Start(start(id.run())));
    assertThat(outcome).isEqualTo(Started.of(StartDisposition.CREATED, id.run()));
    return id.run();
  }

  private IntentCommand.SignalTo signal(RunId run, String id) {
    return new IntentCommand.SignalTo(
        new NewSignal(id, "note", Optional.empty())
            .to(run, new IntentOrigin(IntentVerb.SIGNAL_RUN, "shop", NOW).actor()));
  }

  @Test
  @Tag("D2")
  @DisplayName("given a start, then the run is the one that the command alone would create")
  void start() {
    var run = started(1);
    var byIntent = records.get(run);
    records.clear();
    submit(start(run));
    assertThat(records.get(run)).isEqualTo(byIntent);
    assertThat(start(run).actor().name()).isEqualTo("sql:shop");
    assertThat(start(run).actor().principal().text()).isEqualTo("sql:shop");
  }

  @Test
  @Tag("D4")
  @DisplayName("given a start with a signal, then the outcome says that the new run has it")
  void startSignal() {
    var id = posted(1, IntentVerb.START_RUN);
    var signal = Optional.of(new NewSignal("first", "note", Optional.empty()));
    assertThat(taken(id, new IntentCommand.Start(start(id.run(), signal))))
        .isEqualTo(
            new Started(
                StartDisposition.CREATED,
                Optional.of(id.run()),
                Optional.empty(),
                Optional.of(SignalDisposition.BUFFERED)));
  }

  @Test
  @Tag("D5")
  @DisplayName("given two servers that propose an intent, then the second one changes nothing")
  void twice() {
    var run = started(1);
    var before = Map.copyOf(records);
    var again = submit(new TakeIntent(intent(1), new IntentCommand.Start(start(run))));
    assertThat(again).isInstanceOf(TakeOutcome.Gone.class);
    assertThat(records).isEqualTo(before);
  }

  @Test
  @Tag("D1")
  @DisplayName("given an intent that was rolled back, then nothing is created")
  void absent() {
    var outcome =
        submit(new TakeIntent(intent(1), new IntentCommand.Start(start(intent(1).run()))));
    assertThat(outcome).isInstanceOf(TakeOutcome.Gone.class);
    assertThat(records).isEmpty();
  }

  @Test
  @Tag("D4")
  @DisplayName("given an owned token, then the outcome has the disposition and the owner")
  void token() {
    var owner = posted(1, IntentVerb.START_RUN);
    assertThat(taken(owner, withToken(owner, new ConflictPolicy.Reject())))
        .isEqualTo(Started.of(StartDisposition.CREATED, owner.run()));
    var rejected = posted(2, IntentVerb.START_RUN);
    assertThat(taken(rejected, withToken(rejected, new ConflictPolicy.Reject())))
        .isEqualTo(
            new Started(
                StartDisposition.REJECTED,
                Optional.empty(),
                Optional.of(owner.run()),
                Optional.empty()));
    var superseding = posted(3, IntentVerb.START_RUN);
    assertThat(
            taken(
                superseding,
                withToken(superseding, new ConflictPolicy.Supersede(Optional.empty()))))
        .isEqualTo(
            new Started(
                StartDisposition.SUPERSEDED,
                Optional.of(superseding.run()),
                Optional.of(owner.run()),
                Optional.empty()));
    var signal = posted(4, IntentVerb.SIGNAL_HOOK);
    assertThat(taken(signal, throughToken()))
        .isEqualTo(new IntentOutcome.Signaled(superseding.run(), SignalDisposition.BUFFERED));
  }

  private IntentCommand.Start withToken(IntentId id, ConflictPolicy policy) {
    return new IntentCommand.Start(
        new StartRunWithHooks(
            start(id.run()),
            List.of(new StartRunWithHooks.Wanted(TOKEN, "", Duration.ZERO, policy))));
  }

  private static IntentCommand.SignalThrough throughToken() {
    var actor = new IntentOrigin(IntentVerb.SIGNAL_HOOK, "shop", NOW).actor();
    return new IntentCommand.SignalThrough(
        new SignalHook(
            TOKEN, new NewSignal("s", "note", Optional.empty()), Optional.empty(), actor));
  }

  @Test
  @Tag("D8")
  @DisplayName("given a full inbox, then a signal is deferred, longer each time, and fails at last")
  void fullInbox() {
    var run = started(1);
    for (var i = 0; i < Inbox.MAX_UNCONSUMED; i++) {
      var _ = taken(posted(10 + i, IntentVerb.SIGNAL_RUN), signal(run, "s" + i));
    }
    var full = records.get(run);
    var late = posted(2, IntentVerb.SIGNAL_RUN);
    var pauses =
        List.of(1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300).stream()
            .map(Duration::ofSeconds)
            .toList();
    for (var pause : pauses) {
      assertThat(submit(new TakeIntent(late, signal(run, "late"))))
          .isEqualTo(new TakeOutcome.Deferred(now.plus(pause)));
      // another server does not know of the pause
      assertThat(submit(new TakeIntent(late, signal(run, "late"))))
          .isEqualTo(new TakeOutcome.Deferred(now.plus(pause)));
      now = now.plus(pause);
    }
    assertThat(((Intent) Objects.requireNonNull(records.get(late))).tries())
        .isEqualTo(pauses.size());
    assertThat(records.get(run)).isEqualTo(full);
    now = NOW.plus(Intent.Posted.RETRY_TIME);
    assertThat(taken(late, signal(run, "late")))
        .isEqualTo(Failed.of(IntentError.INBOX_FULL, run, ""));
  }

  @Test
  @Tag("D8")
  @DisplayName("given intents that must fail, then each fails once and for all")
  void failures() {
    var absent = new RunId(Workspace.DEFAULT, new UUID(0, 0));
    assertThat(taken(posted(1, IntentVerb.SIGNAL_RUN), signal(absent, "s")))
        .isEqualTo(Failed.of(IntentError.RUN_NOT_FOUND, absent, ""));
    assertThat(taken(posted(2, IntentVerb.SIGNAL_HOOK), throughToken()))
        .isEqualTo(Failed.of(IntentError.HOOK_NOT_FOUND));
    assertThat(taken(posted(3, IntentVerb.CANCEL_RUN), cancel(absent)))
        .isEqualTo(Failed.of(IntentError.RUN_NOT_FOUND, absent, ""));
    var run = started(4);
    assertThat(taken(posted(5, IntentVerb.CANCEL_RUN), cancel(run)))
        .isEqualTo(new IntentOutcome.Cancelled(run));
    assertThat(taken(posted(6, IntentVerb.CANCEL_RUN), cancel(run)))
        .isEqualTo(new IntentOutcome.Cancelled(run));
    assertThat(taken(posted(7, IntentVerb.SIGNAL_RUN), signal(run, "s")))
        .isEqualTo(Failed.of(IntentError.RUN_ENDED, run, "CANCELLED"));
    assertThat(
            taken(
                posted(8, IntentVerb.START_RUN),
                new IntentCommand.Fail(IntentError.DEFINITION_NOT_FOUND, "order")))
        .isEqualTo(new Failed(IntentError.DEFINITION_NOT_FOUND, Optional.empty(), "order"));
  }

  private static IntentCommand.Cancel cancel(RunId run) {
    return new IntentCommand.Cancel(
        new ControlRun(
            run,
            ControlRun.Verb.CANCEL,
            "enough",
            OptionalLong.empty(),
            new IntentOrigin(IntentVerb.CANCEL_RUN, "shop", NOW).actor()));
  }

  @Test
  @DisplayName("given an outdated definition, then the intent stays posted")
  void outdated() {
    var id = posted(1, IntentVerb.START_RUN);
    var before = Map.copyOf(records);
    var outcome =
        submit(new TakeIntent(id, new IntentCommand.Start(start(id.run()).ofLatest(ORDER))));
    assertThat(outcome).isEqualTo(new TakeOutcome.Outdated(Optional.empty()));
    assertThat(records).isEqualTo(before);
  }
}
