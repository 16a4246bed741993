package dev.hapax.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Tag("A8")
@Timeout(60)
class ReadExecutorTest {
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore mayFail = new Semaphore(0);
  private final ReadExecutor reads = new ReadExecutor(new UnreachableDatabase(), 1);

  /** Lets a read fail when the test says so. */
  private final class UnreachableDatabase extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    @Override
    public Connection getConnection() throws SQLException {
      begun.release();
      mayFail.acquireUninterruptibly();
      throw new SQLException("away");
    }
  }

  @AfterEach
  void stop() {
    reads.close();
    mayFail.release(1_000);
  }

  private CompletableFuture<Boolean> read(String workspace) {
    return reads.submit(new Workspace(workspace), _ -> true);
  }

  private void failNext() throws InterruptedException {
    mayFail.release();
    begun.acquire();
  }

  private static void assertOverloaded(CompletableFuture<?> read, String limit) {
    assertThat(read).isCompletedExceptionally();
    assertThat(read.exceptionNow())
        .isInstanceOfSatisfying(
            LedgerException.Overloaded.class,
            overloaded -> assertThat(overloaded.limit()).isEqualTo(limit));
  }

  @Test
  @DisplayName(
      "given a workspace whose reads fill its half of the queue, then others are read next")
  void turns() throws InterruptedException {
    var _ = read("busy");
    begun.acquire();
    for (var i = 0; i < 500; i++) {
      assertThat(read("busy")).isNotDone();
    }
    assertOverloaded(read("busy"), "reads of this workspace");
    var other = read("other");
    failNext();
    failNext();
    failNext();
    assertThat(other).isCompletedExceptionally();
    assertThat(other.exceptionNow()).isInstanceOf(LedgerException.Unavailable.class);
    assertThat(reads.queued()).isEqualTo(498);
  }

  @Test
  @DisplayName("given workspaces that fill the queue, then one more read is refused")
  void full() throws InterruptedException {
    var _ = read("first");
    begun.acquire();
    for (var i = 0; i < 1_000; i++) {
      assertThat(read("w" + i % 10)).isNotDone();
    }
    assertOverloaded(read("other"), "reads of this server");
  }
}
