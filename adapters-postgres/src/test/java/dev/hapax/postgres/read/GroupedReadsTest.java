package dev.hapax.postgres.read;

import static dev.hapax.postgres.read.OverloadedReads.assertOverloaded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("A8")
@Timeout(60)
class GroupedReadsTest {
  private static final int SHARE = 50_000;

  private final UnreachableDatabase database = new UnreachableDatabase();
  private final ReadExecutor executor = new ReadExecutor(database, 1);
  private final GroupedReads<Key, Boolean> reads =
      new GroupedReads<>(executor, Key::workspace, (_, _) -> Map.of());

  /** A key of a workspace. */
  private record Key(Workspace workspace, int number) {}

  /** The reads that may be under way are, and wait for the database. */
  @BeforeEach
  void occupy() throws InterruptedException {
    var _ = find("busy", -1);
    var _ = find("busy", -2);
    database.awaitRead();
  }

  @AfterEach
  void stop() {
    executor.close();
    database.close();
  }

  private CompletableFuture<Optional<Boolean>> find(String workspace, int number) {
    return reads.find(new Key(new Workspace(workspace), number));
  }

  @Test
  @DisplayName("given a workspace that waits for many keys, then those of another are read next")
  void turns() throws InterruptedException {
    var busy = IntStream.range(0, 1_000).mapToObj(number -> find("busy", number)).toList();
    var others = IntStream.range(0, 20).mapToObj(number -> find("other", number)).toList();

    database.failNext();
    database.failNext();
    assertThat(others).noneMatch(CompletableFuture::isDone);
    database.failNext();

    assertThat(others).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(busy).filteredOn(CompletableFuture::isDone).hasSize(30);
  }

  @Test
  @DisplayName("given a workspace that waits for its half of the keys, then others are not refused")
  void share() {
    for (var number = 0; number < SHARE; number++) {
      assertThat(find("busy", number)).isNotDone();
    }
    assertOverloaded(find("busy", SHARE), "reads of this workspace");
    assertThat(find("busy", 0)).isNotDone();
    for (var number = 0; number < SHARE; number++) {
      assertThat(find("other", number)).isNotDone();
    }
    assertOverloaded(find("third", 0), "reads of this server");
  }
}
