package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunListIT {
  private static final Payload INPUT = new Payload.Json("1");
  private static final List<Definition> DEFINITIONS =
      List.of(
          RunSamples.definition("one", new StepDefinition.Task(RunSamples.work("q"))),
          RunSamples.definition("two", new StepDefinition.Task(RunSamples.work("q"))));

  private static final List<Set<RunStatus>> STATUSES =
      Stream.concat(
              Stream.of(RunStatus.values()).map(Set::of),
              Stream.of(
                  Set.<RunStatus>of(),
                  Set.of(RunStatus.PENDING, RunStatus.WAITING),
                  Set.of(RunStatus.RUNNING, RunStatus.FAILED, RunStatus.CANCELLED),
                  Set.of(RunStatus.COMPLETED, RunStatus.FAILED),
                  Set.of(RunStatus.values())))
          .toList();

  private static final List<Set<String>> NAMES =
      List.of(Set.of(), Set.of("one"), Set.of("one", "two"), Set.of("three", "two"));
  private static final List<Optional<String>> CODES =
      List.of(Optional.empty(), Optional.of("code"), Optional.of("\u00fc"), Optional.of("none"));

  private static final List<Map<String, String>> LABELS =
      List.of(
          Map.of(),
          Map.of("a", "1"),
          Map.of("a", "1", "b", ""),
          Map.of("a", "2"),
          Map.of("c", "3"));

  private static final List<TimeRange> ENDED =
      List.of(
          TimeRange.ALL,
          new TimeRange(Optional.of(RunSamples.NOW.plusSeconds(30)), Optional.empty()),
          TimeRange.before(Optional.of(RunSamples.NOW.plusSeconds(90))),
          between(RunSamples.NOW.plusSeconds(30), RunSamples.NOW.plusSeconds(90)));

  private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant YEAR_9999 = Instant.parse("9999-12-31T23:59:59Z");

  private static RunNodes nodes;
  private static RunReads reads;

  private static int started;

  /** As they were written. */
  private static final List<Run> RUNS = new ArrayList<>();

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
    reads = nodes.runs();
    for (var workspace : List.of("runs", "stable", "merged", "large", "rare")) {
      for (var like : DEFINITIONS) {
        var id = new DefinitionId(new Workspace(workspace), like.id().name(), like.id().version());
        nodes.run(RunNodes.write(id, new Definition(id, like.steps(), like.registeredAt())));
      }
    }
    var phases = RunSamples.phases();
    for (var i = 0; i < 120; i++) {
      var created = RunSamples.NOW.plusSeconds(i / 3);
      var origin =
          new RunOrigin(new RunParameters(INPUT, LABELS.get(i % 4)), created, created, created);
      var phase = later(phases.get(i % phases.size()), Duration.ofSeconds(i));
      RUNS.add(RunSamples.run(DEFINITIONS.get(i % 2), origin, phase));
    }
    nodes.runAll(RUNS.stream().map(run -> RunNodes.write(run.id(), run)).toList());
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  /** As it is, but what has ended ended so much later. */
  private static Phase later(Phase phase, Duration by) {
    return switch (phase) {
      case Phase.Completed(var at) -> new Phase.Completed(at.plus(by));
      case Phase.Failed(var at, var failure) -> new Phase.Failed(at.plus(by), failure);
      case Phase.Cancelled(var at, var reason) -> new Phase.Cancelled(at.plus(by), reason);
      case Phase.Open open -> open;
      case Phase.Paused paused -> paused;
    };
  }

  private static TimeRange between(Instant from, Instant before) {
    return new TimeRange(Optional.of(from), Optional.of(before));
  }

  private static Query query(RunFilter filter, int size, Optional<UUID> after) {
    return new Query(RunSamples.WORKSPACE, filter, size, after);
  }

  private static RunFilter filter(Set<String> definitions, Map<String, String> labels) {
    return new RunFilter(
        Set.of(), definitions, labels, Optional.empty(), false, TimeRange.ALL, TimeRange.ALL);
  }

  private static List<Run> expected(RunFilter filter) {
    return RUNS.reversed().stream().filter(filter::matches).toList();
  }

  private static void assertLists(RunFilter filter) {
    var page = reads.list(query(filter, 500, Optional.empty())).join();
    assertThat(page.items()).as("%s", filter).isEqualTo(expected(filter));
    assertThat(page.next()).isEmpty();
  }

  @Test
  @DisplayName("each filter, alone and with the others, lists what matches, newest first")
  void filters() {
    for (var statuses : STATUSES) {
      for (var names : NAMES) {
        for (var labels : LABELS) {
          assertLists(
              new RunFilter(
                  statuses, names, labels, Optional.empty(), false, TimeRange.ALL, TimeRange.ALL));
        }
      }
    }
  }

  @Test
  @DisplayName("a failure code lists runs that failed with it, a time of end runs that ended then")
  void ends() {
    var found = 0;
    for (var statuses : STATUSES) {
      for (var code : CODES) {
        for (var ended : ENDED) {
          for (var names : List.of(NAMES.getFirst(), NAMES.getLast())) {
            var filter =
                new RunFilter(statuses, names, Map.of(), code, false, TimeRange.ALL, ended);
            assertLists(filter);
            found += code.isPresent() && !ended.isAll() ? expected(filter).size() : 0;
          }
        }
      }
    }
    assertThat(found).isPositive();
  }

  @Test
  @DisplayName("pages of every size together are the list")
  void pages() {
    for (var size : List.of(1, 7, 39, 40, 119, 120, 121)) {
      for (var labels : List.of(LABELS.get(0), LABELS.get(2))) {
        var all = new ArrayList<Run>();
        var after = Optional.<UUID>empty();
        do {
          var page = reads.list(query(filter(Set.of("one"), labels), size, after)).join();
          assertThat(page.items().size()).isLessThanOrEqualTo(size);
          all.addAll(page.items());
          after = page.next();
        } while (after.isPresent());
        assertThat(all).isEqualTo(expected(filter(Set.of("one"), labels)));
      }
    }
  }

  private static Query created(TimeRange created) {
    return query(RunFilter.of(Set.of(), created), 500, Optional.empty());
  }

  @Test
  @DisplayName("the time of creation is bounded from and before")
  void created() {
    var from = RunSamples.NOW.plusSeconds(10);
    var before = RunSamples.NOW.plusSeconds(20);
    var found = reads.list(created(between(from, before))).join();
    assertThat(found.items()).isEqualTo(RUNS.subList(30, 60).reversed());
    var far = Duration.ofDays(2);
    var later = new TimeRange(Optional.of(from.plus(far)), Optional.empty());
    assertThat(reads.list(created(later)).join().items()).isEmpty();
    var earlier = TimeRange.before(Optional.of(from.minus(far)));
    assertThat(reads.list(created(earlier)).join().items()).isEmpty();
    assertThat(reads.list(created(between(YEAR_1, YEAR_9999))).join().items()).hasSize(RUNS.size());
  }

  @Test
  @DisplayName("given runs started later, then the following pages do not move")
  void stable() {
    var workspace = new Workspace("stable");
    var first = RunSamples.runs(workspace, DEFINITIONS.getFirst(), INPUT, 4);
    nodes.runAll(first.stream().map(run -> RunNodes.write(run.id(), run)).toList());
    var page = reads.list(all(workspace, Optional.empty())).join();
    assertThat(page.items()).isEqualTo(first.reversed().subList(0, 3));
    var later = RunSamples.runs(workspace, DEFINITIONS.getFirst(), INPUT, 4);
    nodes.runAll(later.stream().map(run -> RunNodes.write(run.id(), run)).toList());
    assertThat(reads.list(all(workspace, page.next())).join().items())
        .containsExactly(first.getFirst());
  }

  private static Query all(Workspace workspace, Optional<UUID> after) {
    return new Query(workspace, RunFilter.ALL, 3, after);
  }

  @Test
  @DisplayName("several statuses are one list: no run is missing or twice while runs are started")
  void merged() {
    var workspace = new Workspace("merged");
    var written = new ArrayList<>(start(workspace, 40));
    for (var statuses : STATUSES) {
      var filter = RunFilter.of(statuses, TimeRange.ALL);
      var expected = written.reversed().stream().filter(filter::matches).toList();
      var all = new ArrayList<Run>();
      var after = Optional.<UUID>empty();
      do {
        var page = reads.list(new Query(workspace, filter, 7, after)).join();
        all.addAll(page.items());
        after = page.next();
        written.addAll(start(workspace, 1));
      } while (after.isPresent());
      assertThat(all).as("%s", statuses).isEqualTo(expected);
    }
  }

  /** So many more, in one phase after the other. */
  private static List<Run> start(Workspace workspace, int number) {
    var phases = RunSamples.phases();
    var runs =
        RunSamples.runs(workspace, DEFINITIONS.getFirst(), INPUT, number).stream()
            .map(run -> RunSamples.with(run, 7, phases.get(started++ % phases.size())))
            .toList();
    nodes.runAll(runs.stream().map(run -> RunNodes.write(run.id(), run)).toList());
    return runs;
  }

  @Test
  @DisplayName("a page ends early rather than be too large")
  void large() {
    var workspace = new Workspace("large");
    var input = new Payload.Binary(new byte[3 << 20]);
    var runs = RunSamples.runs(workspace, DEFINITIONS.getFirst(), input, 3);
    runs.forEach(run -> nodes.run(RunNodes.write(run.id(), run)));
    var page = reads.list(all(workspace, Optional.empty())).join();
    assertThat(page.items()).isEqualTo(runs.reversed().subList(0, 2));
    assertThat(reads.list(all(workspace, page.next())).join().items())
        .isEqualTo(runs.subList(0, 1));
  }

  @Test
  @DisplayName(
      "given a rare match, when listing, then it is found over pages, each of a bounded scan")
  void rare() {
    var workspace = new Workspace("rare");
    var rare = RunSamples.runs(workspace, DEFINITIONS.getLast(), INPUT, 1).getFirst();
    var common = RunSamples.runs(workspace, DEFINITIONS.getFirst(), INPUT, 1).getFirst();
    nodes.run(RunNodes.write(rare.id(), rare));
    nodes.run(RunNodes.write(common.id(), common));
    nodes
        .database()
        .execute(
            String.format(
                Locale.ROOT,
                """
            INSERT INTO hapax.run
            SELECT (jsonb_populate_record(r, jsonb_build_object('id',
              overlay(r.id::text PLACING lpad(to_hex(i), 4, '0') FROM 20 FOR 4)))).*
            FROM hapax.run r, generate_series(%d, %d) i WHERE r.id = '%s'
            """,
                0xC000,
                0xC000 + 10_500,
                common.id().uuid()));
    var pages = 0;
    var after = Optional.<UUID>empty();
    var found = new ArrayList<Run>();
    do {
      var query = new Query(workspace, filter(Set.of("two"), Map.of()), 3, after);
      var page = reads.list(query).join();
      found.addAll(page.items());
      after = page.next();
      pages++;
    } while (after.isPresent());
    assertThat(found).containsExactly(rare);
    assertThat(pages).isEqualTo(2);
  }

  @Test
  @DisplayName("given some runs, then versions are found of those that exist")
  void versions() {
    var some = RUNS.subList(0, 3).stream().map(Run::id).toList();
    var asked = new HashSet<>(some);
    asked.add(RunSamples.newRun());
    assertThat(reads.versions(asked).join())
        .containsOnlyKeys(some)
        .allSatisfy((_, version) -> assertThat(version).isEqualTo(7));
  }
}
