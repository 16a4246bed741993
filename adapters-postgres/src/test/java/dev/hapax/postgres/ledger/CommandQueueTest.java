package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Command.Urgency;
import dev.hapax.domain.ledger.LedgerException.Overloaded;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.postgres.ledger.CommandQueue.Limits;
import dev.hapax.testkit.ledger.Counter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommandQueueTest {
  private static final long FAR = Long.MAX_VALUE / 2;

  private record Sized(Workspace workspace, Urgency urgency, int size, int number)
      implements Command<Integer> {
    @Override
    public List<Counter.Key> keys() {
      return List.of(new Counter.Key(workspace, "any"));
    }

    @Override
    public Integer decide(BatchRecords records, Instant now) {
      return number;
    }
  }

  private static QueuedCommand<?> pending(String workspace, Urgency urgency, int size, int number) {
    return new QueuedCommand<>(
        new Sized(new Workspace(workspace), urgency, size, number), System.nanoTime() + FAR);
  }

  private static QueuedCommand<?> start(String workspace) {
    return pending(workspace, Urgency.START, 1, 0);
  }

  private static QueuedCommand<?> finish(String workspace) {
    return pending(workspace, Urgency.FINISH, 1, 0);
  }

  private static CommandQueue queue(int lane, long laneBytes, int batch, long batchBytes) {
    return new CommandQueue(new Limits(lane, laneBytes, batch, batchBytes));
  }

  private static List<QueuedCommand<?>> take(CommandQueue queue) {
    try {
      return queue.take(0);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> List<T> all(List<QueuedCommand<?>> batch, Function<Sized, T> what) {
    return batch.stream().map(pending -> what.apply((Sized) pending.command())).toList();
  }

  @Test
  @DisplayName(
      "given a full lane, when a command is added, then it is rejected with the bound and a delay")
  void boundsCommands() {
    var queue = queue(10, 1_000, 4, 1_000);
    for (var i = 0; i < 10; i++) {
      queue.add(start("w" + i));
    }

    assertThatExceptionOfType(Overloaded.class)
        .isThrownBy(() -> queue.add(start("w10")))
        .satisfies(e -> assertThat(e.retryAfter()).isPositive())
        .satisfies(e -> assertThat(e.limit()).contains("server"));
    queue.add(finish("w10"));
    take(queue);
    queue.add(start("w10"));
  }

  @Test
  @DisplayName("given a lane full of bytes, when a command is added, then it is rejected")
  void boundsBytes() {
    var queue = queue(100, 1_000, 4, 1_000);
    queue.add(pending("a", Urgency.START, 400, 0));
    queue.add(pending("b", Urgency.START, 500, 0));

    assertThatExceptionOfType(Overloaded.class)
        .isThrownBy(() -> queue.add(pending("c", Urgency.START, 101, 0)));
    queue.add(pending("c", Urgency.START, 100, 0));
  }

  @Test
  @DisplayName(
      "given a workspace with half of a lane, then its commands are rejected and others are not")
  void halfForOneWorkspace() {
    var queue = queue(10, 1_000, 4, 1_000);
    for (var i = 0; i < 5; i++) {
      queue.add(start("greedy"));
    }
    assertThatExceptionOfType(Overloaded.class)
        .isThrownBy(() -> queue.add(start("greedy")))
        .satisfies(e -> assertThat(e.limit()).contains("workspace"));
    queue.add(pending("heavy", Urgency.START, 400, 0));
    assertThatExceptionOfType(Overloaded.class)
        .isThrownBy(() -> queue.add(pending("heavy", Urgency.START, 200, 0)));
    queue.add(start("modest"));
  }

  @Test
  @DisplayName("given held commands, then they count until they are released")
  void heldCounts() {
    var queue = queue(10, 1_000, 100, 1_000);
    for (var i = 0; i < 5; i++) {
      queue.add(start("a"));
    }
    var batch = take(queue);
    batch.forEach(queue::hold);

    assertThatExceptionOfType(Overloaded.class).isThrownBy(() -> queue.add(start("a")));
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isFalse();
    batch.forEach(queue::release);
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName(
      "given both urgencies, then FINISH goes first and START keeps a quarter of each batch")
  void finishGoesFirst() {
    var queue = queue(100, 1_000, 8, 1_000);
    for (var i = 0; i < 20; i++) {
      queue.add(start("w" + i));
    }
    for (var i = 0; i < 20; i++) {
      queue.add(finish("w" + i));
    }

    var urgencies = all(take(queue), Sized::urgency);
    assertThat(urgencies)
        .containsExactlyElementsOf(
            IntStream.range(0, 8).mapToObj(i -> i < 6 ? Urgency.FINISH : Urgency.START).toList());
  }

  @Test
  @DisplayName("given large commands, then START keeps a share of the bytes, and each is taken")
  void startsKeepAShareOfTheBytes() {
    var queue = queue(100, 100_000, 100, 1_000);
    queue.add(pending("s", Urgency.START, 600, 0));
    for (var i = 0; i < 50; i++) {
      queue.add(pending("w" + i, Urgency.FINISH, 250, 0));
    }

    var batch = take(queue);
    assertThat(all(batch, Sized::urgency)).contains(Urgency.START, Urgency.FINISH);
    assertThat(batch).hasSizeLessThan(6);
  }

  @Test
  @DisplayName("given commands of one urgency, then they get the whole batch")
  void theShareIsOnlyForThoseWhoAreThere() {
    var finishes = queue(100, 1_000, 8, 1_000);
    var starts = queue(100, 1_000, 8, 1_000);
    for (var i = 0; i < 20; i++) {
      finishes.add(finish("w" + i));
      starts.add(start("w" + i));
    }

    assertThat(take(finishes)).hasSize(8);
    assertThat(take(starts)).hasSize(8);
  }

  @Test
  @DisplayName("a batch holds so many bytes, but one command however large it is")
  void batchBytes() {
    var queue = queue(100, 100_000, 100, 1_000);
    queue.add(pending("a", Urgency.START, 5_000, 1));
    queue.add(pending("b", Urgency.START, 600, 2));
    queue.add(pending("c", Urgency.START, 400, 3));
    queue.add(pending("d", Urgency.START, 1, 4));

    assertThat(all(take(queue), Sized::number)).containsExactly(1);
    assertThat(all(take(queue), Sized::number)).containsExactly(2, 3);
    assertThat(all(take(queue), Sized::number)).containsExactly(4);
  }

  @Test
  @DisplayName("workspaces are served in turn, each in its own order")
  void roundRobin() {
    var queue = queue(1_000, 10_000, 9, 10_000);
    for (var i = 0; i < 100; i++) {
      queue.add(pending("many", Urgency.START, 1, i));
    }
    for (var i = 0; i < 3; i++) {
      queue.add(pending("few", Urgency.START, 1, i));
      queue.add(pending("also-few", Urgency.START, 1, i));
    }

    var batch = take(queue);
    var byWorkspace =
        batch.stream()
            .map(pending -> (Sized) pending.command())
            .collect(
                Collectors.groupingBy(
                    sized -> sized.workspace().name(),
                    Collectors.mapping(Sized::number, Collectors.toList())));
    assertThat(byWorkspace)
        .containsEntry("many", List.of(0, 1, 2))
        .containsEntry("few", List.of(0, 1, 2))
        .containsEntry("also-few", List.of(0, 1, 2));
  }

  @Test
  @DisplayName(
      "given commands that are put back, then they go first, in their order, beyond all bounds")
  void putBack() {
    var queue = queue(4, 100, 4, 100);
    var taken = new ArrayList<QueuedCommand<?>>();
    for (var i = 0; i < 2; i++) {
      queue.add(pending("a", Urgency.START, 1, i));
    }
    taken.addAll(take(queue));
    for (var i = 2; i < 4; i++) {
      queue.add(pending("a", Urgency.START, 1, i));
    }
    queue.addFirst(taken);

    assertThat(all(take(queue), Sized::number)).containsExactly(0, 1, 2, 3);
    assertThat(take(queue)).isEmpty();
  }

  @Test
  @DisplayName(
      "given commands whose callers no longer wait, then they are removed and free their place")
  void late() {
    var queue = queue(4, 100, 4, 100);
    var late =
        new QueuedCommand<>(new Sized(new Workspace("a"), Urgency.START, 1, 0), System.nanoTime());
    var cancelled = start("a");
    queue.add(late);
    queue.add(cancelled);
    cancelled.future().cancel(false);
    queue.add(start("b"));

    assertThat(queue.removeFinished(System.nanoTime())).isEqualTo(List.of(late, cancelled));
    assertThat(take(queue)).hasSize(1);
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName("given a closed queue, then it rejects commands and still serves those it has")
  void closed() {
    var queue = queue(4, 100, 4, 100);
    queue.add(start("a"));
    queue.close();

    assertThatExceptionOfType(Unavailable.class).isThrownBy(() -> queue.add(start("a")));
    assertThat(queue.isClosedAndEmpty()).isFalse();
    assertThat(take(queue)).hasSize(1);
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName("given any commands, then each comes out once, and all bounds are free at the end")
  void everythingComesOutOnce() {
    var queue = queue(1_000, 100_000, 7, 50);
    var added = new ArrayList<Integer>();
    var taken = new ArrayList<Integer>();
    for (var i = 0; i < 500; i++) {
      var urgency = i % 3 == 0 ? Urgency.FINISH : Urgency.START;
      queue.add(pending("w" + i % 11, urgency, i % 60, i));
      added.add(i);
      if (i % 5 == 0) {
        var batch = take(queue);
        var half = batch.subList(0, batch.size() / 2);
        half.forEach(queue::hold);
        half.forEach(queue::release);
        queue.addFirst(half);
        taken.addAll(all(batch.subList(half.size(), batch.size()), Sized::number));
      }
    }
    for (var batch = take(queue); !batch.isEmpty(); batch = take(queue)) {
      taken.addAll(all(batch, Sized::number));
    }

    Collections.sort(taken);
    assertThat(taken).isEqualTo(added);
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName("given parked commands, then they count, are not taken, and go first afterwards")
  void parks() {
    var queue = queue(4, 100, 10, 100);
    var until = new CompletableFuture<Void>();
    var parked = start("parked");
    queue.park(List.of(parked), until);
    queue.add(start("parked"));
    assertThatExceptionOfType(Overloaded.class).isThrownBy(() -> queue.add(start("parked")));
    assertThat(take(queue)).hasSize(1).doesNotContain(parked);
    queue.add(start("parked"));

    until.complete(null);

    assertThat(take(queue)).hasSize(2).startsWith(parked);
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName("given a completed future, when commands are parked, then they go first at once")
  void parksTooLate() {
    var queue = queue(2, 100, 10, 100);
    var pending = start("parked");

    queue.park(List.of(pending), CompletableFuture.completedFuture(null));

    assertThat(take(queue)).isEqualTo(List.of(pending));
  }

  @Test
  @DisplayName("given a future that stays open, then commands that time out leave nothing behind")
  void parksForLong() {
    var queue = queue(2, 100, 10, 100);
    var until = new CompletableFuture<Void>();
    for (var i = 0; i < 100; i++) {
      var pending = start("parked");
      queue.park(List.of(pending), until);
      pending.timeOut();
      assertThat(queue.removeFinished(System.nanoTime())).containsExactly(pending);
    }
    assertThat(until.getNumberOfDependents()).isEqualTo(1);

    var last = start("parked");
    queue.park(List.of(last), until);
    until.complete(null);
    assertThat(take(queue)).containsExactly(last);
  }

  @Test
  @DisplayName("given parked commands that time out, then they are removed for good")
  void parkedIsOver() {
    var queue = queue(2, 100, 10, 100);
    var until = new CompletableFuture<Void>();
    var pending = start("parked");
    queue.park(List.of(pending), until);
    pending.timeOut();

    assertThat(queue.removeFinished(System.nanoTime())).isEqualTo(List.of(pending));
    until.complete(null);

    assertThat(take(queue)).isEmpty();
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }
}
