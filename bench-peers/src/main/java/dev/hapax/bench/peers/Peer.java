package dev.hapax.bench.peers;

import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The systems that are compared; each runs in a process of its own. */
enum Peer {
  JDBC("plain JDBC") {
    @Override
    Workloads open(JdbcTarget database, List<String> addresses) throws Exception {
      return new JdbcPeer(database);
    }
  },
  DB_SCHEDULER("db-scheduler") {
    @Override
    Workloads open(JdbcTarget database, List<String> addresses) throws Exception {
      return new SchedulerPeer(database);
    }
  },
  DBOS("DBOS") {
    @Override
    Workloads open(JdbcTarget database, List<String> addresses) throws SQLException {
      return new DbosPeer(database);
    }
  },
  HAPAX("Hapax") {
    @Override
    Workloads open(JdbcTarget database, List<String> addresses) throws Exception {
      return new HapaxPeer(addresses.getFirst());
    }
  },
  TEMPORAL("Temporal") {
    @Override
    Workloads open(JdbcTarget database, List<String> addresses) {
      return new TemporalPeer(addresses.getFirst());
    }
  },
  RESTATE("Restate") {
    @Override
    Workloads open(JdbcTarget database, List<String> addresses) throws Exception {
      return new RestatePeer(addresses.getFirst(), addresses.getLast());
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
   * @param addresses of the peer's server; empty = the peer is a library
   */
  abstract Workloads open(JdbcTarget database, List<String> addresses) throws Exception;

  /** Returns whether the peer has a server with a database of its own, which the user starts. */
  boolean isStartedByHand() {
    return this == TEMPORAL || this == RESTATE;
  }

  String title() {
    return title;
  }
}
