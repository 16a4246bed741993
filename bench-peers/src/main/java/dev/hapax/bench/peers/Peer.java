package dev.hapax.bench.peers;

import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.SQLException;
import java.util.Map;

/** The systems that are compared; each runs in a process of its own. */
enum Peer {
  JDBC("plain JDBC") {
    @Override
    Workloads open(JdbcTarget database, String hapax) throws Exception {
      return new JdbcPeer(database);
    }
  },
  DB_SCHEDULER("db-scheduler") {
    @Override
    Workloads open(JdbcTarget database, String hapax) throws Exception {
      return new SchedulerPeer(database);
    }
  },
  DBOS("DBOS") {
    @Override
    Workloads open(JdbcTarget database, String hapax) throws SQLException {
      return new DbosPeer(database);
    }
  },
  HAPAX("Hapax") {
    @Override
    Workloads open(JdbcTarget database, String hapax) throws Exception {
      return new HapaxPeer(hapax);
    }
  };

  private final String title;

  Peer(String title) {
    this.title = title;
  }

  /** The workloads of a peer, by name. */
  interface Workloads extends AutoCloseable {
    Map<String, Workload> all();

    @Override
    void close() throws SQLException;
  }

  /**
   * Opens the workloads in the process that is measured.
   *
   * @param hapax address of the Hapax server, for its clients
   */
  abstract Workloads open(JdbcTarget database, String hapax) throws Exception;

  /** Returns whether the Hapax server does a part of the work. */
  boolean isServed() {
    return this == HAPAX;
  }

  String title() {
    return title;
  }
}
