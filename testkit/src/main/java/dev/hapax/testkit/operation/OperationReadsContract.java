package dev.hapax.testkit.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.operation.OperationReads.Forgotten;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.domain.operation.RememberedCalls;
import dev.hapax.testkit.read.ReadsContract;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link OperationReads} finds. */
public abstract class OperationReadsContract extends ReadsContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Failure FAILURE = new Failure("DECLINED", "no", Optional.empty());
  private int drawn;

  /** Of what {@link #ledger} keeps. */
  protected abstract OperationReads operations();

  /** Begun so many seconds before now, with this end of its time to live. */
  private record Times(int secondsAgo, Instant expiresAt) {}

  private OperationId id(Workspace owner) {
    return new OperationId(owner, new UUID(7, ++drawn));
  }

  private OperationSubject subject() {
    return new OperationSubject(
        new OperationKey(workspace, "ann", "orders/Place", "r" + drawn, false),
        Fingerprint.of(new byte[] {1}),
        Optional.empty(),
        new RememberedCalls(List.of(), List.of()));
  }

  private Grant grant(Times times) {
    var at = now.minusSeconds(times.secondsAgo());
    return new Grant(drawn, new Fence(drawn), 1, "ann", at, times.expiresAt());
  }

  private Operation inProgress(Times times) {
    return new Operation.InProgress(
        subject(), grant(times), AttemptId.of("a"), now.plus(HOUR), OnStale.TAKE_OVER);
  }

  private Operation released(Times times) {
    return new Operation.Released(subject(), grant(times), now, Optional.of(FAILURE));
  }

  private Operation completed(Times times) {
    return new Operation.Completed(
        subject(), grant(times), now, Optional.of(new Payload.Json("42")), Optional.empty());
  }

  private List<Operation> ofEachState() {
    var times = new Times(1, now.plus(HOUR));
    return List.of(
        inProgress(times),
        new Operation.Indeterminate(
            subject(), grant(times), now, Optional.of(FAILURE), Optional.empty()),
        released(times),
        completed(times),
        new Operation.Rejected(subject(), grant(times), now, FAILURE));
  }

  @Test
  @DisplayName("given an operation in each state, then it is found as it was written")
  void find() {
    for (var operation : ofEachState()) {
      var id = id(workspace);
      assertThat(await(operations().find(id))).isEmpty();
      write(id, operation);
      assertThat(await(operations().find(id))).contains(operation);
      assertThat(await(operations().find(new OperationId(elsewhere, id.hash())))).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given a time to live that is over, then an operation that ended is not found, but proposed"
          + " for removal")
  void expired() {
    var over = new Times(3_600, now.minusSeconds(1));
    var running = id(workspace);
    var ended = id(workspace);
    write(running, inProgress(over));
    write(ended, released(over));
    assertThat(await(operations().find(running))).isPresent();
    assertThat(await(operations().find(ended))).isEmpty();
    assertThat(list(OperationFilter.ALL, 10)).containsExactly(running);
    assertThat(await(operations().forgotten(over.expiresAt(), 100)))
        .extracting(Forgotten::id)
        .contains(ended)
        .doesNotContain(running);
  }

  private List<OperationId> list(OperationFilter filter, int size) {
    List<Listed> listed =
        pages(
            size,
            (Optional<Position> after) ->
                operations().list(new Query(workspace, filter, true, size, after)));
    return listed.stream().map(each -> new OperationId(workspace, each.position().hash())).toList();
  }

  private static OperationFilter filter(Set<Operation.State> states, String operation) {
    return new OperationFilter(
        states, false, Set.of(operation), Optional.empty(), TimeRange.ALL, TimeRange.ALL);
  }

  @Test
  @DisplayName("given pages of any size, then each operation is listed once, newest grant first")
  void lists() {
    var newestFirst = new ArrayList<OperationId>();
    for (var secondsAgo = 0; secondsAgo < 6; secondsAgo++) {
      var times = new Times(secondsAgo, now.plus(HOUR));
      newestFirst.add(id(workspace));
      write(
          newestFirst.getLast(),
          switch (secondsAgo % 3) {
            case 0 -> inProgress(times);
            case 1 -> completed(times);
            default -> released(times);
          });
      write(id(elsewhere), inProgress(times));
    }
    for (var size = 1; size <= 7; size++) {
      assertThat(list(OperationFilter.ALL, size)).isEqualTo(newestFirst);
    }
    var states = Set.of(Operation.State.COMPLETED, Operation.State.RELEASED);
    assertThat(list(filter(states, "orders/Place"), 3))
        .containsExactly(
            newestFirst.get(1), newestFirst.get(2), newestFirst.get(4), newestFirst.get(5));
    assertThat(list(filter(Set.of(), "orders/Cancel"), 3)).isEmpty();
  }

  @Test
  @DisplayName("given operations that were held, then those that no caller holds have ended")
  void ended() {
    var ids = new ArrayList<OperationId>();
    for (var operation : ofEachState()) {
      ids.add(id(workspace));
      write(ids.getLast(), operation);
    }
    ids.add(id(workspace));
    assertThat(await(operations().ended(Set.copyOf(ids))))
        .containsExactlyInAnyOrderElementsOf(ids.subList(1, ids.size()));
  }

  @Test
  @DisplayName("given released operations past their time, then the earliest come first")
  void forgotten() {
    // no other operation expires then
    var from = Instant.parse("2001-01-01T00:00:00Z");
    var all = new ArrayList<Forgotten>();
    for (var second = 0; second < 4; second++) {
      var expiry = from.plusSeconds(second);
      all.add(new Forgotten(id(second % 2 == 0 ? workspace : elsewhere), expiry));
      write(all.getLast().id(), released(new Times(3_600, expiry)));
    }
    write(id(workspace), released(new Times(3_600, now.plus(HOUR))));
    write(id(workspace), inProgress(new Times(3_600, from)));
    assertThat(await(operations().forgotten(from, 2))).isEqualTo(all.subList(0, 2));
    assertThat(await(operations().forgotten(from.plusSeconds(1), 3))).isEqualTo(all.subList(1, 4));
  }
}
