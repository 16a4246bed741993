package dev.hapax.postgres.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Page;
import dev.hapax.domain.Payload;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.Operation.State;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.testkit.operation.RecordAccess;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the query finds is compared with what the filter selects. */
@Tag("long")
class OperationListIT {
  private static final Workspace WORKSPACE = new Workspace("list");
  private static final Workspace LARGE = new Workspace("large");
  private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");
  private static final Payload RESULT = new Payload.Json("[1]");
  private static final List<String> HANDLERS = List.of("a", "b", "c");
  private static final List<String> CODES = List.of("DECLINED", "LOST");

  private static final List<Set<State>> STATES =
      Stream.concat(
              Stream.of(State.values()).map(Set::of),
              Stream.of(
                  Set.<State>of(),
                  Set.of(State.IN_PROGRESS, State.INDETERMINATE),
                  Set.of(State.COMPLETED, State.REJECTED),
                  Set.of(State.RELEASED, State.COMPLETED),
                  Set.of(State.values())))
          .toList();

  private static final List<Set<String>> NAMES =
      List.of(Set.of(), Set.of("a"), Set.of("a", "c", "none"), Set.of("none"));

  private static final List<Optional<String>> FAILURES =
      List.of(Optional.empty(), Optional.of("DECLINED"), Optional.of("none"));

  private static OperationNodes nodes;
  private static ReadExecutor pool;
  private static PostgresOperationReads reads;
  private static Instant now = Instant.EPOCH;

  /** Newest grant first. */
  private static final List<Operation> OPERATIONS = new ArrayList<>();

  @BeforeAll
  static void start() {
    now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    nodes = new OperationNodes(1);
    pool = new ReadExecutor(nodes.dataSource(), 1);
    reads = new PostgresOperationReads(pool, new WideReads(pool), new PendingIntents());
    var age = Duration.ofSeconds(1);
    for (var i = 0; i < 60; i++) {
      // the last one began some days ago
      age = age.plusSeconds(1).plus(age.dividedBy(5));
      OPERATIONS.add(operation(WORKSPACE, i, ago(age), RESULT));
    }
    OPERATIONS.forEach(OperationListIT::write);
  }

  @AfterAll
  static void stop() {
    pool.close();
    nodes.close();
  }

  private static Instant ago(Duration time) {
    return now.minus(time).truncatedTo(ChronoUnit.MICROS);
  }

  private static List<TimeRange> times() {
    return List.of(
        TimeRange.ALL,
        new TimeRange(Optional.of(ago(Duration.ofHours(3))), Optional.empty()),
        TimeRange.before(Optional.of(ago(Duration.ofHours(1)))),
        new TimeRange(
            Optional.of(ago(Duration.ofDays(3))), Optional.of(ago(Duration.ofMinutes(30)))),
        TimeRange.before(Optional.of(YEAR_1)));
  }

  /** In one state after the other; each took a third of its age. */
  private static Operation operation(Workspace workspace, int number, Instant at, Payload payload) {
    var key =
        new OperationKey(
            workspace, "", HANDLERS.get(number % HANDLERS.size()), "r-" + number, false);
    var subject = new OperationSubject(key, Fingerprint.of(new byte[0]));
    var expires = now.plus(Duration.ofHours(1));
    var grant = new Grant(number, Fence.first(at), 1, "", at, expires);
    var end = at.plus(Duration.between(at, now).dividedBy(3)).truncatedTo(ChronoUnit.MICROS);
    var failure =
        new Failure(CODES.get(number / 7 % CODES.size()), "so it is", Optional.of(payload));
    var attempt = AttemptId.of("attempt");
    return switch (number % 7) {
      case 0 -> new Operation.InProgress(subject, grant, attempt, end, OnStale.HOLD);
      case 1 -> new Operation.InProgress(subject, grant, attempt, expires, OnStale.HOLD);
      case 2 ->
          new Operation.Indeterminate(subject, grant, end, Optional.of(failure), Optional.empty());
      case 3 ->
          new Operation.Indeterminate(subject, grant, end, Optional.empty(), Optional.of(attempt));
      case 4 -> new Operation.Released(subject, grant, end, Optional.of(failure));
      case 5 ->
          new Operation.Completed(subject, grant, end, Optional.of(payload), Optional.empty());
      default -> new Operation.Rejected(subject, grant, end, failure);
    };
  }

  private static void write(Operation operation) {
    var number = operation.grant().nonce();
    var id = new OperationId(operation.subject().key().workspace(), new UUID(number, number));
    var _ = nodes.submit(RecordAccess.write(id, Optional.of(operation))).join();
  }

  private static List<Operation> operations(Page<Listed, Position> page) {
    return page.items().stream().map(Listed::operation).toList();
  }

  private static List<Operation> pages(OperationFilter filter, int size) {
    var all = new ArrayList<Operation>();
    var after = Optional.<Position>empty();
    do {
      var page = reads.list(new Query(WORKSPACE, filter, true, size, after)).join();
      assertThat(page.items().size()).isLessThanOrEqualTo(size);
      all.addAll(operations(page));
      after = page.next();
    } while (after.isPresent());
    return all;
  }

  private static void assertLists(OperationFilter filter) {
    var expected = OPERATIONS.stream().filter(o -> filter.matches(o, now)).toList();
    for (var size : List.of(7, 500)) {
      assertThat(pages(filter, size)).as("%s", filter).isEqualTo(expected);
    }
  }

  @Test
  @DisplayName("each filter, alone and with the others, lists what matches, on pages of every size")
  void filters() {
    for (var states : STATES) {
      for (var names : NAMES) {
        for (var code : FAILURES) {
          assertLists(
              new OperationFilter(states, false, names, code, TimeRange.ALL, TimeRange.ALL));
        }
      }
      for (var started : times()) {
        for (var ended : times()) {
          assertLists(
              new OperationFilter(states, false, Set.of(), Optional.empty(), started, ended));
        }
      }
    }
    for (var time : times()) {
      assertLists(OperationFilter.inDoubt(time));
    }
  }

  @Test
  @DisplayName("payloads are left out unless they are requested")
  void withoutPayloads() {
    var bare = reads.list(new Query(WORKSPACE, OperationFilter.ALL, false, 500, Optional.empty()));
    assertThat(operations(bare.join()))
        .hasSize(OPERATIONS.size())
        .allMatch(operation -> payload(operation).isEmpty());
    assertThat(OPERATIONS).anyMatch(operation -> payload(operation).isPresent());
  }

  private static Optional<Payload> payload(Operation operation) {
    return switch (operation) {
      case Operation.InProgress _ -> Optional.empty();
      case Operation.Indeterminate o -> o.failure().flatMap(Failure::details);
      case Operation.Released o -> o.failure().flatMap(Failure::details);
      case Operation.Completed o -> o.result();
      case Operation.Rejected o -> o.failure().details();
    };
  }

  @Test
  @DisplayName("a page with payloads ends early rather than be too large")
  void large() {
    var payload = new Payload.Binary(new byte[3 << 20]);
    var all = new ArrayList<Operation>();
    for (var number : List.of(5, 4, 6, 12)) {
      var operation = operation(LARGE, number, ago(Duration.ofMinutes(1 + all.size())), payload);
      write(operation);
      all.add(operation);
    }

    var found = new ArrayList<Operation>();
    var after = Optional.<Position>empty();
    do {
      var page = reads.list(new Query(LARGE, OperationFilter.ALL, true, 500, after)).join();
      assertThat(page.items()).hasSizeBetween(1, 3);
      found.addAll(operations(page));
      after = page.next();
    } while (after.isPresent());

    assertThat(found).isEqualTo(all);
    var bare = reads.list(new Query(LARGE, OperationFilter.ALL, false, 500, Optional.empty()));
    assertThat(bare.join().items()).hasSize(4);
  }
}
