package dev.hapax.bench;

import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.SQLException;
import java.util.Map;

/** What is measured against each other; each runs in a process of its own. */
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
    Workloads open(JdbcTarget database, String hapax) {
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

  /** What a peer can be made to do. */
  interface Workloads extends AutoCloseable {
    Map<String, Workload> all();

    @Override
    void close() throws SQLException;
  }

  /**
   * Gets it ready, in the process that is measured.
   *
   * @param hapax the address of the server, for those who are its clients
   */
  abstract Workloads open(JdbcTarget database, String hapax) throws Exception;

  /** Whether its work is done by the server process of Hapax, beside its own. */
  boolean isServed() {
    return this == HAPAX;
  }

  String title() {
    return title;
  }
}
