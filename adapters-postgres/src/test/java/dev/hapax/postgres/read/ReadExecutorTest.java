package dev.hapax.postgres.read;

import static dev.hapax.postgres.read.OverloadedReads.assertOverloaded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("A8")
@Timeout(60)
class ReadExecutorTest {
  private final UnreachableDatabase database = new UnreachableDatabase();
  private final ReadExecutor reads = new ReadExecutor(database, 1);

  @AfterEach
  void stop() {
    reads.close();
    database.close();
  }

  private CompletableFuture<Boolean> read(String workspace) {
    return reads.submit(new Workspace(workspace), _ -> true);
  }

  @Test
  @DisplayName(
      "given a workspace whose reads fill its half of the queue, then others are read next")
  void turns() throws InterruptedException {
    var _ = read("busy");
    database.awaitRead();
    for (var i = 0; i < 500; i++) {
      assertThat(read("busy")).isNotDone();
    }
    assertOverloaded(read("busy"), "reads of this workspace");
    var other = read("other");
    database.failNext();
    database.failNext();
    database.failNext();
    assertThat(other).isCompletedExceptionally();
    assertThat(other.exceptionNow()).isInstanceOf(LedgerException.Unavailable.class);
    assertThat(reads.queued()).isEqualTo(498);
  }

  @Test
  @DisplayName("given workspaces that fill the queue, then one more read is refused")
  void full() throws InterruptedException {
    var _ = read("first");
    database.awaitRead();
    for (var i = 0; i < 1_000; i++) {
      assertThat(read("w" + i % 10)).isNotDone();
    }
    assertOverloaded(read("other"), "reads of this server");
  }
}
