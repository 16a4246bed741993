package dev.hapax.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.limit.AdmitRuns;
import dev.hapax.domain.limit.EnterStep;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.limit.LimitReads.Found;
import dev.hapax.domain.limit.LimitReads.Numbers;
import dev.hapax.domain.limit.SetLimit;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.read.ReadsContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link LimitReads} finds. */
public abstract class LimitReadsContract extends ReadsContract {
  private static final Actor BY = Actor.caller("ann");
  private static final String LABEL = "tenant";

  private static final Rate RATE = new Rate(1, Duration.ofHours(1));

  private final Definition definition =
      definition("limited", new Limit("api", new Limit.LabelKey(LABEL), 2, Optional.empty()));

  private final Definition ofRuns =
      new Definition(
          new DefinitionId(workspace, "ofRuns", "1"),
          definition.steps(),
          Optional.empty(),
          List.of(new Limit("api", new Limit.LabelKey(LABEL), 2, Optional.of(RATE))),
          now,
          Attribution.SERVER);

  private final Definition paced =
      definition("paced", new Limit("paced", new Limit.LabelKey(LABEL), 0, Optional.of(RATE)));

  private final Definition shared =
      definition(
          "shared",
          new Limit("own", new Limit.LabelKey(LABEL), 1, Optional.empty()),
          new Limit("all", new Limit.LabelKey("none"), 1, Optional.empty()));

  private int drawn;

  /** Of what {@link #ledger} keeps. */
  protected abstract LimitReads limits();

  @BeforeEach
  void define() {
    write(definition.id(), definition);
    write(paced.id(), paced);
    write(ofRuns.id(), ofRuns);
    write(shared.id(), shared);
  }

  private Definition definition(String name, Limit... limits) {
    var work =
        new StepDefinition.Work(
            "q", Duration.ofHours(1), RetryPolicy.DEFAULT, Optional.empty(), List.of(limits));
    return new Definition(
        new DefinitionId(workspace, name, "1"),
        List.of(new StepDefinition("call", new StepDefinition.Task(work))),
        now);
  }

  private Run starts(String value) {
    return starts(definition, value);
  }

  private Run starts(Definition definition, String value) {
    var id = new RunId(workspace, new UUID((now.toEpochMilli() << 16) | 0x7000L | ++drawn, drawn));
    var start =
        new StartRun(
            id,
            definition,
            new Payload.Json("{}"),
            value.isEmpty() ? Map.of() : Map.of(LABEL, value),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            BY);
    return await(
            ledger()
                .submit(
                    EnterStep.of(
                        start,
                        start,
                        outcome ->
                            outcome instanceof StartOutcome.Created(var run)
                                ? Stream.of(run)
                                : Stream.empty())))
        .runs()
        .getFirst();
  }

  private void cancels(Run run) {
    await(
        ledger()
            .submit(
                new ControlRun(run.id(), ControlRun.Verb.CANCEL, "", OptionalLong.empty(), BY)));
  }

  private LimitKey key(String value) {
    return new LimitKey(workspace, "api", value);
  }

  private void set(LimitKey key, int max) {
    var number = max == 0 ? OptionalInt.empty() : OptionalInt.of(max);
    await(ledger().submit(new SetLimit(key, number, Optional.empty(), Attribution.SERVER)));
  }

  private Found found(String value) {
    return await(limits().find(key(value))).orElseThrow();
  }

  @Test
  @DisplayName("given runs at a limit, when it is read, then those that count and wait are counted")
  void state() {
    assertThat(await(limits().find(key("x")))).isEmpty();
    var first = starts("x");
    starts("x");
    var third = starts("x");
    var fourth = starts("x");
    starts("y");
    var since = third.blocked().orElseThrow().since();
    assertThat(found("x"))
        .isEqualTo(
            new Found(
                key("x"),
                Optional.of(new Numbers(OptionalInt.of(2), Optional.empty())),
                2,
                2,
                Optional.of(since),
                Optional.empty(),
                Numbers.NONE,
                Optional.empty()));
    assertThat(await(limits().ahead(key("x"), fourth.blocked().orElseThrow().turn()))).isEqualTo(1);
    cancels(first);
    cancels(third);
    assertThat(found("x"))
        .matches(limit -> limit.running() == 1 && limit.waiting() == 1)
        .matches(limit -> limit.oldest().equals(fourth.blocked().map(at -> at.since())));
  }

  @Test
  @DisplayName("given limits that are reached or set, when they are listed, then by name and value")
  void list() {
    starts("b");
    starts("");
    set(key("a"), 7);
    set(key(""), 5);
    set(new LimitKey(workspace, "other", "z"), 1);
    set(new LimitKey(workspace, "removed", ""), 1);
    set(new LimitKey(workspace, "removed", ""), 0);
    set(new LimitKey(elsewhere, "api", "c"), 1);
    List<Found> all =
        pages(2, (Optional<LimitKey> after) -> limits().list(query(Optional.empty(), after)));
    assertThat(all)
        .extracting(Found::key)
        .containsExactly(key(""), key("a"), key("b"), new LimitKey(workspace, "other", "z"));
    assertThat(all)
        .extracting(found -> found.numbers().maxRunning().orElseThrow())
        .containsExactly(5, 7, 5, 1);
    assertThat(all.get(1).declared()).isEmpty();
    assertThat(
            pages(2, (Optional<LimitKey> after) -> limits().list(query(Optional.of("api"), after))))
        .hasSize(3);
  }

  private LimitReads.Query query(Optional<String> name, Optional<LimitKey> after) {
    return new LimitReads.Query(workspace, name, after, 2);
  }

  @Test
  @DisplayName("given runs that wait, then the limits with room are searched")
  void free() {
    for (var value : List.of("full", "left", "raised", "room")) {
      var first = starts(value);
      starts(value);
      var waits = starts(value);
      if (value.equals("room")) {
        cancels(first);
      } else if (value.equals("left")) {
        cancels(first);
        cancels(waits);
      }
    }
    set(key("raised"), 3);
    assertThat(searched()).containsExactlyInAnyOrder(key("raised"), key("room"));
  }

  @Test
  @DisplayName("given a run that waits, then there are places to search")
  void places() {
    Stream.of("place", "place", "place").forEach(this::starts);
    assertThat(await(limits().hasPlaces())).isTrue();
  }

  @Test
  @DisplayName("given a run behind others in another line, then it is not searched")
  void behindOthers() {
    for (var value : List.of("runs", "first", "behind")) {
      starts(shared, value);
    }
    assertThat(searched()).containsExactly(new LimitKey(workspace, "own", "first"));
  }

  private List<LimitKey> searched() {
    var found = new ArrayList<LimitKey>();
    var after = Optional.<LineId>empty();
    do {
      var page = await(limits().free(after, 2));
      found.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return found.stream().filter(key -> key.workspace().equals(workspace)).toList();
  }

  private List<LimitReads.Due> due(Duration ahead) {
    return await(limits().due(ahead, 1_000)).stream()
        .filter(limit -> limit.key().workspace().equals(workspace))
        .toList();
  }

  @Test
  @DisplayName("given a rate, then the time is found at which it lets the first run start")
  void rate() {
    var key = new LimitKey(workspace, "paced", "x");
    starts(paced, "x");
    var next = starts(paced, "x");
    var later = starts(paced, "x");
    assertThat(await(limits().find(key)).orElseThrow())
        .matches(
            found -> found.numbers().equals(new Numbers(OptionalInt.empty(), Optional.of(RATE))))
        .matches(found -> found.running() == 0 && found.waiting() == 2)
        .matches(found -> found.next().isPresent());
    assertThat(searched()).isEmpty();
    assertThat(due(Duration.ofMinutes(50))).isEmpty();
    assertThat(due(Duration.ofHours(1)))
        .singleElement()
        .matches(due -> due.key().equals(key))
        .matches(due -> due.in().compareTo(Duration.ofMinutes(50)) > 0);

    cancels(next);
    assertThat(searched()).as("computed for another run").containsExactly(key);
    await(ledger().submit(new AdmitRuns(key)));
    assertThat(searched()).isEmpty();
    await(
        ledger()
            .submit(
                new SetLimit(
                    key,
                    OptionalInt.empty(),
                    Optional.of(new Rate(2, Duration.ofHours(1))),
                    Attribution.SERVER)));
    assertThat(searched()).as("computed for another rate").containsExactly(key);
    cancels(later);
    assertThat(due(Duration.ofHours(1))).as("no run waits").isEmpty();
    assertThat(await(limits().find(key)).orElseThrow().next()).isEmpty();
  }

  @Test
  @DisplayName("given a limit of definitions, then it is another one than that of steps")
  void ofDefinitions() {
    var key = new LimitKey(workspace, true, "api", "x");
    starts(ofRuns, "x");
    var waits = starts(ofRuns, "x");
    assertThat(waits.blocked()).isPresent();
    assertThat(await(limits().find(key)).orElseThrow())
        .matches(found -> found.key().equals(key))
        .matches(found -> found.running() == 1 && found.waiting() == 1)
        .matches(found -> found.next().isPresent());
    assertThat(found("x")).matches(found -> found.running() == 1 && found.waiting() == 0);
    assertThat(due(Duration.ofHours(1))).extracting(LimitReads.Due::key).containsExactly(key);
    var all =
        pages(
            1,
            (Optional<LimitKey> after) ->
                limits().list(new LimitReads.Query(workspace, Optional.of("api"), after, 1)));
    assertThat(all).extracting(Found::key).containsExactly(key("x"), key);

    var faster = Optional.of(new Rate(2, Duration.ofHours(1)));
    var none = OptionalInt.empty();
    await(ledger().submit(new SetLimit(key("x"), none, faster, Attribution.SERVER)));
    assertThat(searched()).as("set for steps").isEmpty();
    await(ledger().submit(new SetLimit(key, none, faster, Attribution.SERVER)));
    assertThat(searched()).contains(key);
  }
}
