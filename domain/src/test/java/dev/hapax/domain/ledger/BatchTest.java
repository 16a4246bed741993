package dev.hapax.domain.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BatchTest {
  private static final Instant NOW = Instant.EPOCH;
  private static final Key A = new Key("a");
  private static final Key B = new Key("b");
  private final Batch batch = new Batch(Map.of(A, "loaded"), NOW);

  /** The key of a text. */
  private record Key(String name) implements RecordKey<String> {
    @Override
    public Workspace workspace() {
      return Workspace.DEFAULT;
    }
  }

  private record On<O>(Collection<Key> keys, BiFunction<BatchRecords, Instant, O> decision)
      implements Command<O> {
    @Override
    public Workspace workspace() {
      return Workspace.DEFAULT;
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
    public O decide(BatchRecords records, Instant now) {
      return decision.apply(records, now);
    }
  }

  /** Only reads its keys. */
  private record OnlyReads<O>(On<O> command) implements Command<O> {
    @Override
    public Workspace workspace() {
      return command.workspace();
    }

    @Override
    public Collection<Key> keys() {
      return command.keys();
    }

    @Override
    public Collection<Key> reads() {
      return command.keys();
    }

    @Override
    public Urgency urgency() {
      return command.urgency();
    }

    @Override
    public int size() {
      return command.size();
    }

    @Override
    public O decide(BatchRecords records, Instant now) {
      return command.decide(records, now);
    }
  }

  private Optional<String> read(Key key) {
    return batch.decide(new On<>(List.of(key), (records, _) -> records.get(key)));
  }

  private void put(Key key, String text) {
    batch.decide(
        new On<>(
            List.of(key),
            (records, now) -> {
              records.put(key, text);
              return now;
            }));
  }

  private void remove(Key key) {
    batch.decide(
        new On<>(
            List.of(key),
            (records, now) -> {
              records.remove(key);
              return now;
            }));
  }

  @Test
  @DisplayName(
      "a command reads the loaded records, then the results of previous commands, at one time")
  void predecessors() {
    assertThat(read(A)).contains("loaded");
    put(A, "changed");
    put(B, "new");
    assertThat(read(A)).contains("changed");
    assertThat(read(B)).contains("new");
    remove(A);
    assertThat(read(A)).isEmpty();
    assertThat(batch.decide(new On<Instant>(List.of(A), (_, now) -> now))).isEqualTo(NOW);
  }

  @Test
  @DisplayName("changes go from the loaded to the final records; equal ones are omitted")
  void changes() {
    put(A, "changed");
    put(B, "new");
    assertThat(batch.changes())
        .isEqualTo(
            Map.of(A, new Batch.Change("loaded", "changed"), B, new Batch.Change(null, "new")));

    put(A, "loaded");
    remove(B);
    assertThat(batch.changes()).isEmpty();

    remove(A);
    assertThat(batch.changes()).isEqualTo(Map.of(A, new Batch.Change("loaded", null)));
  }

  @Test
  @DisplayName("given a command throws after changes, then they are rolled back")
  void undo() {
    put(B, "before");
    var failing =
        new On<Object>(
            List.of(A, B),
            (records, _) -> {
              records.remove(A);
              records.put(A, "once");
              records.put(A, "twice");
              records.put(B, "other");
              records.remove(B);
              throw new IllegalStateException("meant to be");
            });

    assertThatThrownBy(() -> batch.decide(failing)).hasMessage("meant to be");
    assertThat(read(A)).contains("loaded");
    assertThat(read(B)).contains("before");
  }

  @Test
  @DisplayName("given a failing command created a record, then the record is absent again")
  void undoOfANewRecord() {
    var failing =
        new On<Object>(
            List.of(B),
            (records, _) -> {
              records.put(B, "new");
              throw new StackOverflowError("meant to be");
            });

    assertThatThrownBy(() -> batch.decide(failing)).isInstanceOf(StackOverflowError.class);
    assertThat(read(B)).isEmpty();
    assertThat(batch.changes()).isEmpty();
  }

  @Test
  @DisplayName("a command can neither read nor change a record that is not in its keys")
  void onlyNamed() {
    assertThatThrownBy(() -> batch.decide(new On<>(List.of(A), (records, _) -> records.get(B))))
        .hasMessageStartingWith("the command neither named nor locked");
    var putting =
        new On<Object>(
            List.of(A),
            (records, _) -> {
              records.put(A, "changed");
              records.put(B, "not named");
              return NOW;
            });
    assertThatThrownBy(() -> batch.decide(putting)).hasMessageStartingWith("the command neither");
    assertThat(batch.changes()).isEmpty();
  }

  @Test
  @DisplayName("given a record is only read, then the command may not put or remove it")
  void onlyRead() {
    var reading = new OnlyReads<>(new On<>(List.of(A), (records, _) -> records.get(A)));
    assertThat(batch.<Optional<String>>decide(reading)).contains("loaded");
    List<Consumer<BatchRecords>> changes =
        List.of(records -> records.put(A, "changed"), records -> records.remove(A));
    for (var change : changes) {
      var changing =
          new OnlyReads<>(
              new On<Object>(
                  List.of(A),
                  (records, now) -> {
                    change.accept(records);
                    return now;
                  }));
      assertThatThrownBy(() -> batch.decide(changing))
          .hasMessageStartingWith("the command changes ");
    }
    assertThat(batch.changes()).isEmpty();
  }

  @Test
  @DisplayName("a record that is locked for another command of the batch may be used, once locked")
  void lockedByAnother() {
    assertThat(isLocked(A)).isTrue();
    assertThat(isLocked(B)).as("there is no such record").isFalse();
    // it names B, and uses A
    var using =
        new On<>(
            List.of(B),
            (records, _) -> {
              var before = records.get(A);
              records.put(A, "changed by the way");
              return before;
            });
    assertThat(batch.decide(using)).contains("loaded");
    assertThat(read(A)).contains("changed by the way");
  }

  @Test
  @DisplayName("a record that another command of the batch made is locked, until it is removed")
  void lockedSinceItIsThere() {
    put(B, "new");
    assertThat(isLocked(B)).isTrue();
    assertThat(batch.decide(new On<Optional<String>>(List.of(A), (records, _) -> records.get(B))))
        .contains("new");
    remove(B);
    assertThat(isLocked(B)).isFalse();
  }

  @Test
  @DisplayName(
      "given a failing command changed held records outside its keys, then they are rolled back, too")
  void undoOfHeld() {
    var failing =
        new On<Object>(
            List.of(B),
            (records, _) -> {
              records.put(A, "once");
              records.put(B, "new");
              throw new IllegalStateException("meant to be");
            });
    assertThatThrownBy(() -> batch.decide(failing)).hasMessage("meant to be");
    assertThat(read(A)).contains("loaded");
    assertThat(isLocked(B)).isFalse();
    assertThat(batch.changes()).isEmpty();
  }

  @Test
  @DisplayName("a command that leads to an unlocked record is decided with it in a later batch")
  void widened() {
    var leading =
        new On<Optional<String>>(
            List.of(A),
            (records, _) -> {
              records.put(A, "changed");
              records.lock(List.of(A, B));
              records.put(B, "too");
              return records.get(A);
            });
    var unlocked =
        catchThrowableOfType(UnlockedRecordsException.class, () -> batch.decide(leading));
    assertThat(batch.changes()).as("what it did is taken back").isEmpty();

    var wider = unlocked.widened(leading);
    assertThat(List.<Object>copyOf(wider.keys())).containsExactlyInAnyOrder(A, B);
    assertThat(wider.reads()).isEmpty();
    assertThat(batch.decide(wider)).contains("changed");
    assertThat(read(B)).contains("too");
  }

  @Test
  @DisplayName("a record that a command asked to share cannot be changed by it")
  void widenedToRead() {
    var reading = new On<Object>(List.of(A), (records, _) -> share(records, B));
    var unlocked =
        catchThrowableOfType(UnlockedRecordsException.class, () -> batch.decide(reading));
    var wider = unlocked.widened(reading);
    assertThat(List.<Object>copyOf(wider.reads())).containsExactly(B);
    assertThat(batch.decide(wider)).isEqualTo(Optional.empty());

    var writing =
        new On<Object>(
            List.of(A),
            (records, _) -> {
              var _ = share(records, B);
              records.put(B, "changed");
              return "";
            });
    assertThatThrownBy(() -> batch.decide(unlocked.widened(writing)))
        .hasMessageContaining("reads() contains it");
  }

  private static Command<Instant> taking(Key intent, Key... others) {
    return new On<>(
        Stream.concat(Stream.of(intent), Stream.of(others)).toList(),
        (records, now) -> {
          records.put(intent, "taken");
          for (var record : others) {
            records.put(record, "completed");
          }
          return now;
        });
  }

  @Test
  @DisplayName("given a pending intent, then only the command that takes it may use the record")
  void pendingIntent() {
    var pending = new Batch(Map.of(A, "held", B, "posted"), Map.of(A, B), NOW);
    var reading = new On<Optional<String>>(List.of(A), (records, _) -> records.get(A));
    var writing =
        new On<Object>(
            List.of(A),
            (records, _) -> {
              records.put(A, "other");
              return "";
            });
    for (var command : List.of(reading, writing)) {
      var exception =
          catchThrowableOfType(PendingIntentException.class, () -> pending.decide(command));
      assertThat(exception.intent()).isEqualTo(B);
    }
    // it names the intent, but leaves it as it is
    assertThat(
            pending.decide(new On<Optional<String>>(List.of(A, B), (records, _) -> records.get(A))))
        .contains("held");
    assertThatThrownBy(() -> pending.decide(reading)).isInstanceOf(PendingIntentException.class);
    assertThat(pending.changes()).isEmpty();

    pending.decide(taking(B, A));
    assertThat(pending.decide(reading)).contains("completed");
    assertThat(pending.changes().keySet()).containsExactlyInAnyOrder(A, B);
  }

  @Test
  @DisplayName(
      "given an intent that was taken without effect, then its record is written all the same")
  void settled() {
    var pending = new Batch(Map.of(A, "held", B, "posted"), Map.of(A, B), NOW);
    pending.decide(taking(B));
    assertThat(pending.changes())
        .isEqualTo(
            Map.of(A, new Batch.Change("held", "held"), B, new Batch.Change("posted", "taken")));
  }

  @Test
  @DisplayName("given a taking command that throws, then the intent is still pending")
  void undone() {
    var pending = new Batch(Map.of(A, "held", B, "posted"), Map.of(A, B), NOW);
    var broken =
        new On<Object>(
            List.of(A, B),
            (records, _) -> {
              records.put(B, "taken");
              throw new IllegalStateException("broken");
            });
    assertThatThrownBy(() -> pending.decide(broken)).hasMessage("broken");
    assertThatThrownBy(() -> pending.decide(new On<>(List.of(A), (records, _) -> records.get(A))))
        .isInstanceOf(PendingIntentException.class);
    assertThat(pending.changes()).isEmpty();
  }

  private static Optional<String> share(BatchRecords records, Key key) {
    records.share(List.of(key));
    return records.get(key);
  }

  private boolean isLocked(Key key) {
    try {
      return batch.decide(
          new On<>(
              List.of(),
              (records, _) -> {
                records.lock(List.of(key));
                return true;
              }));
    } catch (UnlockedRecordsException _) {
      return false;
    }
  }
}
