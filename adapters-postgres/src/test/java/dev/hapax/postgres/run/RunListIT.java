package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Origin;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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

  private static final List<Optional<RunStatus>> STATUSES = new ArrayList<>();
  private static final List<Optional<String>> NAMES =
      List.of(Optional.empty(), Optional.of("one"), Optional.of("two"), Optional.of("three"));
  private static final List<Map<String, String>> LABELS =
      List.of(
          Map.of(),
          Map.of("a", "1"),
          Map.of("a", "1", "b", ""),
          Map.of("a", "2"),
          Map.of("c", "3"));

  private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant YEAR_9999 = Instant.parse("9999-12-31T23:59:59Z");

  private static RunNodes nodes;
  private static RunReads reads;

  /** As they were written. */
  private static final List<Run> RUNS = new ArrayList<>();

  @BeforeAll
  static void start() {
    STATUSES.add(Optional.empty());
    for (var status : RunStatus.values()) {
      STATUSES.add(Optional.of(status));
    }
    nodes = new RunNodes(1);
    reads = nodes.runs();
    for (var workspace : List.of("runs", "stable", "large", "rare")) {
      for (var like : DEFINITIONS) {
        var id = new DefinitionId(new Workspace(workspace), like.id().name(), like.id().version());
        nodes.run(RunNodes.write(id, new Definition(id, like.steps(), like.registeredAt())));
      }
    }
    var phases = RunSamples.phases();
    for (var i = 0; i < 120; i++) {
      var created = RunSamples.NOW.plusSeconds(i / 3);
      var origin = new Origin(INPUT, LABELS.get(i % 4), created, created, created);
      RUNS.add(RunSamples.run(DEFINITIONS.get(i % 2), origin, phases.get(i % phases.size())));
    }
    nodes.runAll(RUNS.stream().map(run -> RunNodes.write(run.id(), run)).toList());
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Query query(
      Optional<RunStatus> status,
      Optional<String> definition,
      Map<String, String> labels,
      int size,
      Optional<UUID> after) {
    return new Query(
        RunSamples.WORKSPACE,
        status,
        definition,
        labels,
        Optional.empty(),
        Optional.empty(),
        size,
        after);
  }

  private static Query created(Optional<Instant> from, Optional<Instant> before) {
    return new Query(
        RunSamples.WORKSPACE,
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        from,
        before,
        500,
        Optional.empty());
  }

  private static List<Run> expected(Query query) {
    return RUNS.reversed().stream()
        .filter(run -> query.status().isEmpty() || query.status().get() == run.status())
        .filter(
            run ->
                query.definition().isEmpty()
                    || query.definition().get().equals(run.definition().id().name()))
        .filter(run -> run.origin().labels().entrySet().containsAll(query.labels().entrySet()))
        .toList();
  }

  @Test
  @DisplayName("each filter, alone and with the others, lists what matches, newest first")
  void filters() {
    for (var status : STATUSES) {
      for (var name : NAMES) {
        for (var labels : LABELS) {
          var query = query(status, name, labels, 500, Optional.empty());
          var page = reads.list(query).join();
          assertThat(page.items()).as(query.toString()).isEqualTo(expected(query));
          assertThat(page.next()).isEmpty();
        }
      }
    }
  }

  @Test
  @DisplayName("pages of every size together are the list")
  void pages() {
    for (var size : List.of(1, 7, 39, 40, 119, 120, 121)) {
      for (var labels : List.of(LABELS.get(0), LABELS.get(2))) {
        var all = new ArrayList<Run>();
        var after = Optional.<UUID>empty();
        do {
          var query = query(Optional.empty(), Optional.of("one"), labels, size, after);
          var page = reads.list(query).join();
          assertThat(page.items().size()).isLessThanOrEqualTo(size);
          all.addAll(page.items());
          after = page.next();
        } while (after.isPresent());
        assertThat(all)
            .isEqualTo(
                expected(query(Optional.empty(), Optional.of("one"), labels, 1, Optional.empty())));
      }
    }
  }

  @Test
  @DisplayName("the time of creation is bounded from and before")
  void created() {
    var from = RunSamples.NOW.plusSeconds(10);
    var before = RunSamples.NOW.plusSeconds(20);
    var found = reads.list(created(Optional.of(from), Optional.of(before))).join();
    assertThat(found.items()).isEqualTo(RUNS.subList(30, 60).reversed());
    var far = Duration.ofDays(2);
    assertThat(reads.list(created(Optional.of(from.plus(far)), Optional.empty())).join().items())
        .isEmpty();
    assertThat(reads.list(created(Optional.empty(), Optional.of(from.minus(far)))).join().items())
        .isEmpty();
    assertThat(reads.list(created(Optional.of(YEAR_1), Optional.of(YEAR_9999))).join().items())
        .hasSize(RUNS.size());
  }

  @Test
  @DisplayName("what is started later does not move what is on the pages behind")
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
    return new Query(
        workspace,
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        3,
        after);
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
  @DisplayName("what is rare is found page after page, each of which looks only so far")
  void rare() {
    var workspace = new Workspace("rare");
    var rare = RunSamples.runs(workspace, DEFINITIONS.getLast(), INPUT, 1).getFirst();
    var common = RunSamples.runs(workspace, DEFINITIONS.getFirst(), INPUT, 1).getFirst();
    nodes.run(RunNodes.write(rare.id(), rare));
    nodes.run(RunNodes.write(common.id(), common));
    nodes
        .database()
        .execute(
            """
            INSERT INTO hapax.run
            SELECT (jsonb_populate_record(r, jsonb_build_object('id',
              overlay(r.id::text PLACING lpad(to_hex(i), 4, '0') FROM 20 FOR 4)))).*
            FROM hapax.run r, generate_series(%d, %d) i WHERE r.id = '%s'
            """
                .formatted(0xC000, 0xC000 + 10_500, common.id().uuid()));
    var pages = 0;
    var after = Optional.<UUID>empty();
    var found = new ArrayList<Run>();
    do {
      var query =
          new Query(
              workspace,
              Optional.empty(),
              Optional.of("two"),
              Map.of(),
              Optional.empty(),
              Optional.empty(),
              3,
              after);
      var page = reads.list(query).join();
      found.addAll(page.items());
      after = page.next();
      pages++;
    } while (after.isPresent());
    assertThat(found).containsExactly(rare);
    assertThat(pages).isEqualTo(2);
  }

  @Test
  @DisplayName("versions are those of the runs that are there")
  void versions() {
    var some = RUNS.subList(0, 3).stream().map(Run::id).toList();
    var asked = new HashSet<>(some);
    asked.add(RunSamples.newRun());
    assertThat(reads.versions(asked).join())
        .containsOnlyKeys(some)
        .allSatisfy((_, version) -> assertThat(version).isEqualTo(7));
  }
}
