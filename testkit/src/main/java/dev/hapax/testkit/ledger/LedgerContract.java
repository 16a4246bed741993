package dev.hapax.testkit.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract of every ledger: commands are serializable. */
public abstract class LedgerContract {
  private static final Workspace WORKSPACE = new Workspace("contract");

  /** Returns the ledger under test; the same throughout one test method. */
  protected abstract Ledger ledger();

  protected static Counter.Key key(String name) {
    return new Counter.Key(WORKSPACE, name);
  }

  protected static <O> O await(CompletableFuture<O> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  @DisplayName(
      "given a thousand commands on one record, then each sees the result of the previous one")
  void commandsSeeEachOthersResults() {
    var key = key("one");
    var outcomes =
        IntStream.range(0, 1_000)
            .mapToObj(_ -> ledger().submit(Counter.increment(key)))
            .toList()
            .stream()
            .map(LedgerContract::await)
            .toList();

    assertThat(outcomes)
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 1_000).boxed().toList());
    assertThat(await(ledger().submit(Counter.read(key)))).contains(new Counter(1_000));
  }

  @Test
  @DisplayName("a record can be removed and created again, also within one batch")
  void recordsGoAndCome() {
    var key = key("comes-and-goes");
    var futures = new ArrayList<CompletableFuture<Long>>();
    for (var i = 0; i < 200; i++) {
      futures.add(ledger().submit(Counter.add(key, 1)));
      futures.add(ledger().submit(Counter.add(key, -1)));
    }
    futures.forEach(LedgerContract::await);

    assertThat(await(ledger().submit(Counter.read(key)))).isEmpty();
  }

  @Test
  @DisplayName(
      "given a command whose decision throws, then only it fails, and its changes are rolled back")
  void aThrowingDecisionFailsAlone() {
    var key = key("survivor");
    var good = new ArrayList<CompletableFuture<Long>>();
    var bad = new ArrayList<CompletableFuture<Long>>();
    for (var i = 0; i < 300; i++) {
      good.add(ledger().submit(Counter.increment(key)));
      if (i % 3 == 0) {
        bad.add(ledger().submit(writesThenThrows(key)));
      }
    }

    good.forEach(LedgerContract::await);
    for (var future : bad) {
      assertThatThrownBy(() -> await(future)).hasCauseInstanceOf(LedgerException.Defective.class);
    }
    assertThat(await(ledger().submit(Counter.read(key)))).contains(new Counter(300));
  }

  private static Command<Long> writesThenThrows(Counter.Key key) {
    return new Counter.On<>(
        List.of(key),
        Command.Urgency.START,
        (records, _) -> {
          records.put(key, new Counter(-1_000_000));
          throw new IllegalStateException("meant to be");
        });
  }

  @Test
  @DisplayName(
      "given a command that removes a record and then throws an error, then the record remains")
  void anErrorLeavesNothingBehind() {
    var key = key("overflown");
    await(ledger().submit(Counter.add(key, 7)));
    var overflow =
        new Counter.On<Long>(
            List.of(key),
            Command.Urgency.START,
            (records, _) -> {
              records.remove(key);
              records.put(key, new Counter(-1));
              throw new StackOverflowError("meant to be");
            });
    var bad = ledger().submit(overflow);
    var good = ledger().submit(Counter.increment(key));

    assertThatThrownBy(() -> await(bad)).hasCauseInstanceOf(LedgerException.Defective.class);
    assertThat(await(good)).isEqualTo(8);
  }

  @Test
  @DisplayName("given a command whose keys() throws, then only it fails")
  void aCommandWithoutKeysFailsAlone() {
    var keyless =
        new Command<Long>() {
          @Override
          public Workspace workspace() {
            return WORKSPACE;
          }

          @Override
          public Collection<? extends RecordKey<?>> keys() {
            throw new IllegalStateException("meant to be");
          }

          @Override
          public Urgency urgency() {
            return Urgency.START;
          }

          @Override
          public int size() {
            return 1;
          }

          @Override
          public Long decide(BatchRecords records, Instant now) {
            return 1L;
          }
        };
    var bad = ledger().submit(keyless);

    assertThatThrownBy(() -> await(bad)).hasCauseInstanceOf(LedgerException.Defective.class);
    assertThat(await(ledger().submit(Counter.increment(key("beside-keyless"))))).isEqualTo(1);
  }

  @Test
  @DisplayName("given a listener that throws, then outcomes and other listeners are not affected")
  void aThrowingListenerAffectsNoOther() {
    var key = key("notified");
    var notified = new CompletableFuture<Void>();
    ledger()
        .onCommit(
            changed -> {
              if (changed.contains(key)) {
                throw new IllegalStateException("meant to be");
              }
            });
    ledger()
        .onCommit(
            changed -> {
              if (changed.contains(key)) {
                notified.complete(null);
              }
            });

    assertThat(await(ledger().submit(Counter.increment(key)))).isEqualTo(1);
    assertThat(await(ledger().submit(Counter.increment(key)))).isEqualTo(2);
    await(notified);
  }

  @Test
  @DisplayName("a command that one record leads to another is decided with both, once")
  void recordsThatOthersLeadTo() {
    var led =
        new Counter.On<>(
            List.of(key("first")),
            Command.Urgency.START,
            (records, now) -> {
              var first = Counter.increment(key("first")).decide(records, now);
              records.lock(List.of(key("led-to")));
              return first + Counter.increment(key("led-to")).decide(records, now);
            });

    assertThat(await(ledger().submit(led))).isEqualTo(2L);
    assertThat(await(ledger().submit(led))).isEqualTo(4L);
    assertThat(await(ledger().submit(Counter.increment(key("led-to"))))).isEqualTo(3L);
  }

  @Test
  @DisplayName("a command that uses a record it did not name is refused")
  void onlyNamedRecords() {
    var command =
        new Counter.On<Optional<Counter>>(
            List.of(key("named")),
            Command.Urgency.START,
            (records, _) -> records.get(key("not-named")));

    assertThatThrownBy(() -> await(ledger().submit(command)))
        .hasCauseInstanceOf(LedgerException.Defective.class)
        .hasRootCauseMessage("the command neither named nor locked %s".formatted(key("not-named")));
  }

  @Test
  @DisplayName(
      "given commands on several records in any order, then each is atomic and none deadlocks")
  void severalRecords() {
    var keys = IntStream.range(0, 8).mapToObj(i -> key("several-" + i)).toList();
    var random = new Random(1);
    var futures = new ArrayList<CompletableFuture<Long>>();
    for (var i = 0; i < 500; i++) {
      var shuffled = new ArrayList<>(keys);
      Collections.shuffle(shuffled, random);
      futures.add(ledger().submit(Counter.incrementAll(shuffled)));
    }

    assertThat(futures.stream().map(LedgerContract::await))
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(1, 500).map(i -> i * 8).boxed().toList());
  }

  @Test
  @DisplayName("the time of decisions on one record never decreases")
  void timeDoesNotGoBack() {
    var key = key("time");
    var times =
        IntStream.range(0, 500)
            .mapToObj(
                _ ->
                    ledger()
                        .submit(
                            new Counter.On<>(
                                List.of(key),
                                Command.Urgency.START,
                                (records, now) -> {
                                  var n = records.get(key).map(Counter::value).orElse(0L) + 1;
                                  records.put(key, new Counter(n));
                                  return Map.entry(n, now);
                                })))
            .toList()
            .stream()
            .map(LedgerContract::await)
            .sorted(Map.Entry.comparingByKey())
            .map(Map.Entry::getValue)
            .toList();

    assertThat(times).isSorted();
  }

  @Test
  @DisplayName("listeners get the keys of changed records, and no others")
  void listenersHearOfChanges() {
    Set<RecordKey<?>> changedKeys = ConcurrentHashMap.newKeySet();
    var heardLast = new CompletableFuture<Void>();
    ledger()
        .onCommit(
            (Collection<RecordKey<?>> changed) -> {
              changedKeys.addAll(changed);
              if (changed.contains(key("last"))) {
                heardLast.complete(null);
              }
            });

    await(ledger().submit(Counter.increment(key("changed"))));
    await(ledger().submit(Counter.read(key("only-read"))));
    await(ledger().submit(Counter.increment(key("last"))));
    await(heardLast);

    assertThat(changedKeys).contains(key("changed"), key("last")).doesNotContain(key("only-read"));
  }

  @Test
  @DisplayName("listeners get each change once, with the record before and after the batch")
  void listenersGetChanges() {
    var key = key("seen");
    var added = new AtomicLong();
    var last = new CompletableFuture<Void>();
    ledger()
        .onChanges(
            changes -> {
              var change = changes.get(key);
              if (change != null) {
                added.addAndGet(value(change.after()) - value(change.before()));
              }
              if (changes.containsKey(key("seen-last"))) {
                last.complete(null);
              }
            });

    IntStream.range(0, 200)
        .mapToObj(_ -> ledger().submit(Counter.increment(key)))
        .toList()
        .forEach(LedgerContract::await);
    await(ledger().submit(Counter.incrementAll(List.of(key, key("seen-last")))));
    await(last);

    assertThat(added).hasValue(201);
  }

  private static long value(@Nullable Object record) {
    return record instanceof Counter(var value) ? value : 0;
  }
}
