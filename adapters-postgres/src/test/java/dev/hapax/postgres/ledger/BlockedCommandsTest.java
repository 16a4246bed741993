package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.ledger.BlockedCommands.Group;
import dev.hapax.postgres.ledger.CommandQueue.Limits;
import dev.hapax.testkit.ledger.Counter;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BlockedCommandsTest {
  private final CommandQueue queue = new CommandQueue(new Limits(100, 100_000, 100, 100_000));
  private final AtomicLong now = new AtomicLong();
  private final BlockedCommands blockedCommands = new BlockedCommands(queue, now::get);

  private static QueuedCommand<?> touching(String... names) {
    var keys = Stream.of(names).map(TestLedgers::key).toList();
    return new QueuedCommand<>(Counter.incrementAll(keys), System.nanoTime() + Long.MAX_VALUE / 2);
  }

  private static QueuedCommand<?> following(String rule, String own) {
    return new QueuedCommand<>(
        new Following(key(rule), key(own)), System.nanoTime() + Long.MAX_VALUE / 2);
  }

  private Group next() {
    now.addAndGet(Math.max(blockedCommands.nanosToNextRetry(), 0));
    return blockedCommands.next().orElseThrow();
  }

  @Test
  @DisplayName(
      "given a blocked command, then commands that share its records are kept, others are not")
  void keepsWhatTouches() {
    blockedCommands.add(List.of(touching("x", "y")));
    var free = touching("z");

    assertThat(blockedCommands.keepBlocked(List.of(touching("x"), free, touching("y", "z"))))
        .isEqualTo(List.of(free));
  }

  @Test
  @DisplayName("given a command kept for one record, then its other records are no suspects")
  void isNotContagious() {
    blockedCommands.add(List.of(touching("x")));
    blockedCommands.keepBlocked(List.of(touching("x", "y")));
    var onlyY = touching("y");

    assertThat(blockedCommands.keepBlocked(List.of(onlyY))).isEqualTo(List.of(onlyY));
  }

  @Test
  @DisplayName("given two suspects, when one is granted, then only the other stays")
  void clears() {
    blockedCommands.add(List.of(touching("x", "y")));
    blockedCommands.clear(List.of(touching("y")));
    var onlyY = touching("y");

    assertThat(blockedCommands.keepBlocked(List.of(onlyY, touching("x"))))
        .isEqualTo(List.of(onlyY));
  }

  @Test
  @DisplayName("given a granted record, then commands without another suspect return to the queue")
  void putsBack() throws InterruptedException {
    var both = touching("x", "y");
    var kept = touching("x");
    blockedCommands.add(List.of(both));
    assertThat(blockedCommands.keepBlocked(List.of(kept))).isEmpty();
    blockedCommands.clear(List.of(touching("x")));

    assertThat(queue.take(0)).isEqualTo(List.of(kept));
    assertThat(next().commands()).isEqualTo(List.of(both));
    blockedCommands.done();
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName("given a blocked command, then records that it only reads are no suspects")
  void readersAreFree() {
    blockedCommands.add(List.of(following("rule", "x")));
    var other = following("rule", "y");

    assertThat(blockedCommands.keepBlocked(List.of(other, following("rule", "x"))))
        .isEqualTo(List.of(other));
  }

  @Test
  @DisplayName(
      "given a record that two blocked commands read, then it is a suspect until it is granted")
  void readInVain() {
    blockedCommands.add(List.of(following("rule", "x"), following("rule", "y")));
    var other = following("rule", "z");

    assertThat(blockedCommands.keepBlocked(List.of(other))).isEmpty();
    blockedCommands.clear(List.of(other));
    assertThat(blockedCommands.keepBlocked(List.of(other))).isEqualTo(List.of(other));
    assertThat(blockedCommands.keepBlocked(List.of(touching("x"), touching("y")))).isEmpty();
  }

  @Test
  @DisplayName("given a retry that failed, then the records that it changes stay suspects")
  void triedInVain() {
    blockedCommands.add(List.of(following("rule", "x"), following("rule", "y")));
    blockedCommands.keepBlocked(List.of(following("rule", "z")));
    for (var i = 0; i < 3; i++) {
      var tried = next();
      blockedCommands.addAgain(tried, List.copyOf(tried.commands()));
    }
    blockedCommands.clear(List.of(following("rule", "other")));
    var other = following("rule", "z");

    assertThat(blockedCommands.keepBlocked(List.of(other, touching("x"), touching("y"))))
        .isEqualTo(List.of(other));
  }

  @Test
  @DisplayName("given a blocked writer, then readers of its record neither free it nor wait for it")
  void writersAmongReaders() {
    blockedCommands.add(List.of(touching("rule")));
    var reader = following("rule", "x");

    assertThat(blockedCommands.keepBlocked(List.of(reader))).isEqualTo(List.of(reader));
    blockedCommands.clear(List.of(reader));
    assertThat(blockedCommands.isEmpty()).isFalse();
  }

  @Test
  @DisplayName(
      "given groups of commands, then each is retried in its turn, with a longer timeout each time")
  void triesInTurn() {
    List<QueuedCommand<?>> x = List.of(touching("x"), touching("x"));
    List<QueuedCommand<?>> y = List.of(touching("y"));
    blockedCommands.add(x);
    blockedCommands.add(y);

    var first = next();
    assertThat(first.commands()).isEqualTo(x);
    blockedCommands.addAgain(first, x);
    assertThat(next().commands()).isEqualTo(y);
    var again = next();
    assertThat(again.commands()).isEqualTo(x);
    assertThat(again.lockMillis()).isGreaterThan(first.lockMillis());
    assertThat(blockedCommands.isEmpty()).isTrue();
    assertThat(blockedCommands.keepBlocked(x)).isEqualTo(x);
  }

  @Test
  @DisplayName("what stays blocked gets a part of the time only; what does not, follows at once")
  void pauses() {
    List<QueuedCommand<?>> x = List.of(touching("x"));
    List<QueuedCommand<?>> y = List.of(touching("y"));
    blockedCommands.add(x);
    blockedCommands.add(y);

    for (var first : List.of(x, y)) {
      var tried = blockedCommands.next().orElseThrow();
      now.addAndGet(1_000_000_000);
      blockedCommands.addAgain(tried, first);
    }
    var tried = blockedCommands.next().orElseThrow();
    now.addAndGet(1_000_000_000);
    blockedCommands.addAgain(tried, x);
    assertThat(blockedCommands.next()).isEmpty();
    assertThat(blockedCommands.nanosToNextRetry()).isEqualTo(4_000_000_000L);
    now.addAndGet(4_000_000_000L);
    assertThat(blockedCommands.next().orElseThrow().commands()).isEqualTo(y);
    now.addAndGet(1_000_000_000);
    assertThat(blockedCommands.next().orElseThrow().commands()).isEqualTo(x);
  }

  @Test
  @DisplayName("what is set aside counts in the queue, also while it is tried, until it is done")
  void counts() {
    var one = touching("x");
    var two = touching("x");
    blockedCommands.add(List.of(one, two));
    queue.close();

    var tried = next();
    assertThat(queue.isClosedAndEmpty()).isFalse();
    blockedCommands.addAgain(tried, List.of(two));
    blockedCommands.done();
    assertThat(queue.isClosedAndEmpty()).isFalse();
    assertThat(next().commands()).isEqualTo(List.of(two));
    blockedCommands.done();
    assertThat(queue.isClosedAndEmpty()).isTrue();
  }

  @Test
  @DisplayName(
      "given commands whose callers no longer wait, then they are removed and free their records")
  void late() {
    var late = touching("x");
    blockedCommands.add(List.of(late));
    late.future().cancel(false);
    queue.close();
    assertThat(queue.isClosedAndEmpty()).isFalse();

    assertThat(blockedCommands.removeFinished(System.nanoTime())).isEqualTo(List.of(late));
    assertThat(queue.isClosedAndEmpty()).isTrue();
    assertThat(blockedCommands.isEmpty()).isTrue();
    var free = touching("x");
    assertThat(blockedCommands.keepBlocked(List.of(free))).isEqualTo(List.of(free));
  }
}
