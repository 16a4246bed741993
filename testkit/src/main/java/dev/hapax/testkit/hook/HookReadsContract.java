package dev.hapax.testkit.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.HookReads.Owned;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Deadlines;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.StepPosition;
import dev.hapax.testkit.read.ReadsContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link HookReads} finds. */
public abstract class HookReadsContract extends ReadsContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private final HookId token = HookId.of(workspace, "token");
  private int drawn;

  /** Of what {@link #ledger} keeps. */
  protected abstract HookReads hooks();

  /** Writes a run with these changes behind its creation, and returns it as it is found. */
  private Run written(Phase phase, RunChange... changes) {
    var step = new StepDefinition.Signal(new SignalFilter.Any(), Optional.empty());
    var definition =
        new Definition(
            new DefinitionId(workspace, "hooked", "1"),
            List.of(new StepDefinition("wait", step)),
            now);
    if (drawn == 0) {
      write(definition.id(), definition);
    }
    var id =
        new RunId(
            workspace,
            new UUID((now.toEpochMilli() << 16) | 0x7000L | ++drawn, Long.MIN_VALUE | drawn));
    var origin = new RunOrigin(new RunParameters(new Payload.Json("1"), Map.of()), now, now, now);
    var run =
        new Run(
            id,
            definition,
            origin,
            1,
            new StepPosition(0, 1, 1, new Fence(1)),
            phase,
            Json.Obj.EMPTY,
            Optional.empty(),
            new Inbox(0, 0),
            0,
            new HookTokens(Optional.empty(), Optional.empty(), HOUR),
            Optional.of(now),
            Deadlines.NONE,
            Optional.empty(),
            List.of());
    var events = new ArrayList<RunEvent>();
    events.add(new RunEvent(1, now, Actor.SERVER, 0, 0, new RunChange.Created(origin)));
    for (var change : changes) {
      events.add(new RunEvent(events.size() + 1L, now, Actor.SERVER, 0, 1, change));
    }
    write(id, run.with(events));
    return run;
  }

  private static Phase waiting() {
    return new Phase.Waiting(Optional.empty(), Optional.of(new SignalFilter.Any()), false);
  }

  private Phase completed(Duration ago) {
    return new Phase.Completed(now.minus(ago));
  }

  private Hook hook(Run owner, boolean disposed) {
    return new Hook(owner.id(), "name", now, HOUR, disposed ? Optional.of(now) : Optional.empty());
  }

  @Test
  @DisplayName("given a token of an open run, when it is read, then its owner is found")
  void find() {
    var run = written(waiting());
    write(token, hook(run, false));
    assertThat(await(hooks().find(token)).map(Owned::hook)).contains(hook(run, false));
    assertThat(await(hooks().find(token)).map(Owned::owner)).contains(run);
    assertThat(await(hooks().find(token)).orElseThrow().at())
        .isBetween(now.minusSeconds(60), now.plusSeconds(60));
    assertThat(await(hooks().find(HookId.of(workspace, "other")))).isEmpty();
    assertThat(await(hooks().find(HookId.of(elsewhere, "token")))).isEmpty();
  }

  @Test
  @DisplayName("given a token that its run gave up, when it is read, then it has no owner")
  void disposed() {
    write(token, hook(written(waiting()), true));
    assertThat(await(hooks().find(token))).isEmpty();
  }

  @Test
  @DisplayName("given a run that ended, when its token is read, then it is kept for its retention")
  void ended() {
    var kept = written(completed(Duration.ofMinutes(30)));
    write(token, hook(kept, false));
    assertThat(await(hooks().find(token)).map(Owned::owner)).contains(kept);
    write(token, hook(written(completed(Duration.ofHours(2))), false));
    assertThat(await(hooks().find(token))).isEmpty();
  }

  @Test
  @DisplayName("given a run that got and gave up tokens, when they are read, then the others come")
  void held() {
    var first = new HookId(workspace, new UUID(1, 1));
    var disposed = new HookId(workspace, new UUID(2, 2));
    var last = new HookId(workspace, new UUID(3, 3));
    var run =
        written(
            waiting(),
            created(first, "first"),
            created(disposed, ""),
            new RunChange.HookDisposed(disposed.hash(), ""),
            created(last, ""));
    assertThat(await(hooks().held(run.id())))
        .containsExactly(new Held(first, "first", HOUR), new Held(last, "", HOUR));
    assertThat(await(hooks().held(written(waiting()).id()))).isEmpty();
    assertThat(await(hooks().held(new RunId(elsewhere, run.id().uuid())))).isEmpty();
  }

  private static RunChange created(HookId id, String name) {
    return new RunChange.HookCreated(id.hash(), name, HOUR, Optional.empty());
  }
}
