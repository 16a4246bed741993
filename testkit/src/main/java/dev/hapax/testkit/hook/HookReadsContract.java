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
import dev.hapax.domain.hook.HookReads.Found;
import dev.hapax.domain.hook.HookReads.Waiting;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.hook.Turns;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.AwaitedToken;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
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
    return written(
        phase, new HookTokens(Optional.empty(), Optional.empty(), false, HOUR), List.of(changes));
  }

  private Run written(Phase phase, HookTokens tokens, List<RunChange> changes) {
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
            tokens,
            phase instanceof Phase.Blocked ? Optional.empty() : Optional.of(now),
            Deadlines.NONE,
            Optional.empty(),
            Optional.empty(),
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
    assertThat(await(hooks().find(token)).map(Found::hook)).contains(hook(run, false));
    assertThat(await(hooks().find(token)).flatMap(Found::owner)).contains(run);
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
    assertThat(await(hooks().find(token)).flatMap(Found::owner)).contains(kept);
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

  /** Writes a run that waits for the token, or waited for it if it has ended. */
  private Run waitsFor(HookId id, Phase phase) {
    var awaited = List.of(new AwaitedToken(id.hash(), "name", HOUR));
    return written(
        phase,
        new HookTokens(
            Optional.empty(),
            Optional.empty(),
            false,
            HOUR,
            awaited,
            new TreeSet<>(Set.of(id.hash()))),
        List.of());
  }

  private Phase.Blocked blocked(long turn) {
    return new Phase.Blocked(turn, now, 1);
  }

  private static long turn(Run run) {
    return run.blocked().orElseThrow().turn();
  }

  /** Writes the line of a token. */
  private void line(HookId id, Hook hook, List<Line.Place> places) {
    var turns = new Turns(OptionalLong.of(places.getLast().turn()), places.size());
    write(
        id,
        new Hook(
            hook.run(), hook.name(), hook.createdAt(), hook.retention(), hook.disposedAt(), turns));
    write(new LineId(id), new Line(places, false, List.of()));
  }

  @Test
  @DisplayName("given runs that wait for a token, when it is read, then they come in their order")
  void line() {
    var owner = written(waiting());
    var places = new ArrayList<Line.Place>();
    for (var turn = 1; turn <= 30; turn++) {
      places.add(new Line.Place(turn, waitsFor(token, blocked(turn)).id()));
    }
    // their places no longer count: one has ended, one waits with another turn
    places.add(new Line.Place(31, waitsFor(token, completed(Duration.ZERO)).id()));
    places.add(new Line.Place(32, waitsFor(token, blocked(33)).id()));
    line(token, hook(owner, false), places);

    var found = await(hooks().find(token)).orElseThrow();
    assertThat(found.owner()).contains(owner);
    assertThat(found.run()).isEqualTo(owner.id());
    assertThat(found.waiting()).isEqualTo(30);
    assertThat(found.first())
        .hasSize(HookReads.MOST_LISTED)
        .startsWith(
            new Waiting(places.getFirst().run(), Instant.EPOCH.plusNanos(1_000)),
            new Waiting(places.get(1).run(), Instant.EPOCH.plusNanos(2_000)));
    assertThat(await(hooks().ahead(token, 11))).isEqualTo(10);
    assertThat(await(hooks().ahead(token, 1))).isZero();
    assertThat(await(hooks().ahead(new HookId(elsewhere, token.hash()), 11))).isZero();
  }

  @Test
  @DisplayName(
      "given a token that no run owns, when it is read, then the first run that waits answers")
  void first() {
    var first = waitsFor(token, blocked(7));
    line(token, hook(first, false), List.of(new Line.Place(7, first.id())));
    var found = await(hooks().find(token)).orElseThrow();
    assertThat(found.owner()).isEmpty();
    assertThat(found.run()).isEqualTo(first.id());
    assertThat(found.waiting()).isEqualTo(1);
  }

  @Test
  @DisplayName("given tokens for which runs wait, then those without a living owner are searched")
  void unowned() {
    var owned = token("owned");
    var ended = token("ended");
    var disposed = token("disposed");
    var never = token("never");
    var left = token("left");
    lineOf(owned, hook(written(waiting()), false), blocked(1));
    lineOf(ended, hook(written(completed(Duration.ZERO)), false), blocked(2));
    lineOf(disposed, hook(written(waiting()), true), blocked(3));
    lineOf(never, hook(waitsFor(never, blocked(4)), false), blocked(5));
    lineOf(left, hook(written(completed(Duration.ZERO)), false), completed(Duration.ZERO));

    var found = new ArrayList<HookId>();
    var after = Optional.<HookId>empty();
    do {
      var page = await(hooks().unowned(after, 2));
      assertThat(page.items()).hasSizeLessThanOrEqualTo(2);
      found.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    assertThat(found)
        .filteredOn(id -> id.workspace().equals(workspace))
        .containsExactlyInAnyOrder(ended, disposed, never);
  }

  private HookId token(String name) {
    return HookId.of(workspace, name);
  }

  private void lineOf(HookId id, Hook hook, Phase phase) {
    var run = waitsFor(id, phase);
    var turn = phase instanceof Phase.Blocked ? turn(run) : 9;
    line(id, hook, List.of(new Line.Place(turn, run.id())));
  }

  private static RunChange created(HookId id, String name) {
    return new RunChange.HookCreated(id.hash(), name, HOUR, Optional.empty());
  }
}
