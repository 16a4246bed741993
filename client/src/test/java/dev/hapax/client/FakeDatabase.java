package dev.hapax.client;

import dev.hapax.v1.Claim;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database with the completion functions of Hapax, for one transaction at a time. */
public final class FakeDatabase {

  /** What happens to a COMMIT. */
  public enum Commit {
    DONE,
    /** The connection is lost, and the transaction was committed. */
    LOST_AFTER,
    /** The connection is lost, and the transaction was rolled back. */
    LOST_BEFORE
  }

  private final Consumer<Claim> completed;
  private final List<String> log = new ArrayList<>();
  private Commit commit = Commit.DONE;
  private String refusal = "";
  private Runnable before = () -> {};
  private boolean autoCommit = true;
  private @Nullable Claim claim;

  /**
   * @param completed runs for the claim of a transaction that commits
   */
  public FakeDatabase(Consumer<Claim> completed) {
    this.completed = completed;
  }

  public FakeDatabase commits(Commit next) {
    commit = next;
    return this;
  }

  /** Every call of a function fails with this SQLSTATE. */
  public FakeDatabase refuses(String sqlState) {
    refusal = sqlState;
    return this;
  }

  /** Runs when a function is called. */
  public FakeDatabase before(Runnable task) {
    before = task;
    return this;
  }

  /** The calls of functions with their arguments, commits and rollbacks. */
  public List<String> log() {
    return log;
  }

  public DataSource dataSource() {
    return proxy(DataSource.class, (self, method, arguments) -> connection());
  }

  public Connection connection() {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          switch (method.getName()) {
            case "setAutoCommit" -> autoCommit = (boolean) arguments[0];
            case "getAutoCommit" -> {
              return autoCommit;
            }
            case "prepareStatement" -> {
              return statement((String) arguments[0]);
            }
            case "commit" -> commit();
            case "rollback" -> {
              log.add("rollback");
              claim = null;
            }
            case "close" -> claim = null;
            default -> throw new UnsupportedOperationException(method.getName());
          }
          return null;
        });
  }

  private PreparedStatement statement(String sql) {
    String[] values = new String[5];
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          switch (method.getName()) {
            case "setString", "setLong" ->
                values[(int) arguments[0] - 1] = String.valueOf(arguments[1]);
            case "execute" -> {
              return call(sql, values);
            }
            case "close" -> {}
            default -> throw new UnsupportedOperationException(method.getName());
          }
          return null;
        });
  }

  private boolean call(String sql, String[] values) throws SQLException {
    before.run();
    String function = sql.substring(sql.indexOf('.') + 1, sql.indexOf('('));
    log.add(function + " " + values[3] + (values[4] == null ? "" : " " + values[4]));
    if (!refusal.isEmpty()) {
      throw new SQLException("refused", refusal);
    }
    claim = Claim.newBuilder().setId(values[1]).setFence(Long.parseLong(values[2])).build();
    return true;
  }

  private void commit() throws SQLException {
    Claim posted = claim;
    claim = null;
    if (commit != Commit.LOST_BEFORE && posted != null) {
      completed.accept(posted);
    }
    if (commit != Commit.DONE) {
      throw new SQLException("the connection is lost", "08006");
    }
    log.add("commit");
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            FakeDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
