package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecordMemoryTest {
  private static final RowVersion VERSION = new RowVersion("1");

  /** How many of the largest records are remembered. */
  private static final int FULL = RecordMemory.MAX_BYTES / RecordMemory.MAX_RECORD_BYTES;

  private final RecordMemory<Integer, Sized> memory =
      new RecordMemory<>(DSL.field("id", UUID.class), key -> new UUID(0, key), Sized::size);

  private record Sized(int key, int size) {}

  private void put(int key, int size) {
    memory.put(key, new Sized(key, size), VERSION, memory.epoch());
  }

  @Test
  @DisplayName("a record is taken once")
  void takenOnce() {
    put(1, 10);

    assertThat(memory.take(1))
        .contains(new RecordMemory.Remembered<>(new Sized(1, 10), VERSION, 10));
    assertThat(memory.take(1)).isEmpty();
  }

  @Test
  @DisplayName("the oldest records are forgotten when there are too many bytes")
  void bounded() {
    for (var key = 1; key <= FULL + 1; key++) {
      put(key, RecordMemory.MAX_RECORD_BYTES);
    }

    assertThat(memory.take(1)).isEmpty();
    assertThat(memory.take(2)).isPresent();
    assertThat(memory.take(FULL + 1)).isPresent();
  }

  @Test
  @DisplayName("a large record is not remembered, and takes no place")
  void large() {
    put(1, 10);
    put(2, RecordMemory.MAX_RECORD_BYTES + 1);

    assertThat(memory.take(2)).isEmpty();
    assertThat(memory.take(1)).isPresent();
  }

  @Test
  @DisplayName("a record that is put again counts once, and one that was taken no more")
  void countsOnce() {
    put(1, RecordMemory.MAX_RECORD_BYTES);
    for (var i = 0; i < 2 * FULL; i++) {
      put(2, RecordMemory.MAX_RECORD_BYTES);
      put(3, RecordMemory.MAX_RECORD_BYTES);
      assertThat(memory.take(3)).isPresent();
    }

    assertThat(memory.take(1)).isPresent();
  }

  @Test
  @DisplayName("while it pauses, it has nothing and takes nothing")
  void paused() {
    put(1, 10);
    memory.pause();
    put(2, 10);

    assertThat(memory.take(1)).isEmpty();
    assertThat(memory.take(2)).isEmpty();
  }

  @Test
  @DisplayName("a record whose write began before all were forgotten is not remembered")
  void begunBefore() {
    var before = memory.epoch();
    memory.clear();
    memory.put(1, new Sized(1, 10), VERSION, before);
    put(2, 10);

    assertThat(memory.take(1)).isEmpty();
    assertThat(memory.take(2)).isPresent();
  }
}
