package dev.hapax.postgres.read;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import org.postgresql.ds.PGSimpleDataSource;

/** A database on which reads fail, each when the test says so. */
final class UnreachableDatabase extends PGSimpleDataSource implements AutoCloseable {
  private static final long serialVersionUID = 1L;

  private final Semaphore begun = new Semaphore(0);
  private final Semaphore mayFail = new Semaphore(0);

  @Override
  public Connection getConnection() throws SQLException {
    begun.release();
    mayFail.acquireUninterruptibly();
    throw new SQLException("away");
  }

  /** Waits until one more read has begun. */
  void awaitRead() throws InterruptedException {
    begun.acquire();
  }

  /** Lets a read fail, and waits until the next one has begun. */
  void failNext() throws InterruptedException {
    mayFail.release();
    awaitRead();
  }

  /** Lets all reads fail. */
  @Override
  public void close() {
    mayFail.release(1_000);
  }
}
