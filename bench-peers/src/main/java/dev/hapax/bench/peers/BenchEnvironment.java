package dev.hapax.bench.peers;

import dev.hapax.bench.ServerProcess;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A Hapax server with its PostgreSQL, and a process for each peer. */
final class BenchEnvironment implements AutoCloseable {
  private final ServerProcess server;
  private final Map<Peer, StartedServer> startedServers;
  private final Map<Peer, PeerProcess> peers = new EnumMap<>(Peer.class);
  private final Connection database;
  private final ProcessHandle postmaster;

  private BenchEnvironment(ServerProcess server, Path data, Map<Peer, StartedServer> startedServers)
      throws IOException, SQLException {
    this.server = server;
    this.startedServers = Map.copyOf(startedServers);
    var target = EmbeddedDatabase.running(data).orElseThrow();
    this.database =
        DriverManager.getConnection(
            target.url().value(), target.user().orElse(""), target.password().current().orElse(""));
    this.postmaster =
        ProcessHandle.of((long) queryNumber("SELECT pg_backend_pid()"))
            .flatMap(ProcessHandle::parent)
            .orElseThrow();
  }

  /**
   * Starts the server and the peers.
   *
   * @param variables additional environment variables of the server and its PostgreSQL
   * @param startedServers those of the peers that have one beside it
   */
  static BenchEnvironment start(
      Path data,
      Map<String, String> variables,
      Set<Peer> peers,
      Map<Peer, StartedServer> startedServers)
      throws Exception {
    var server =
        ServerProcess.serve(variables, "--listen", "127.0.0.1:0", "--data-dir", data.toString());
    // without this the server outlives a bench that is interrupted
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    var environment = new BenchEnvironment(server, data, startedServers);
    try {
      for (var peer : peers) {
        environment.peers.put(peer, PeerProcess.start(peer, data, environment.addresses(peer)));
      }
      return environment;
    } catch (IOException e) {
      environment.close();
      throw e;
    }
  }

  /** A load that runs on the process of a peer. */
  interface Load {
    LoadResult on(PeerProcess process) throws IOException;
  }

  Observation observe(Peer peer, Load load) throws IOException, SQLException {
    var process = peers.get(peer);
    if (process == null) {
      throw new IllegalArgumentException("no process of " + peer.title() + " was started");
    }
    var before = usage(peer, process);
    var result = load.on(process);
    var perUnit = usage(peer, process).perUnitSince(before, result.units());
    return new Observation(result, perUnit, serverMemory(peer));
  }

  private List<String> addresses(Peer peer) {
    return switch (peer) {
      case HAPAX -> List.of(server.address());
      case TEMPORAL, RESTATE -> startedServer(peer).addresses();
      case JDBC, DB_SCHEDULER, DBOS -> List.of();
    };
  }

  private StartedServer startedServer(Peer peer) {
    return Objects.requireNonNull(startedServers.get(peer), peer.title());
  }

  /** Begins INSERTs at a low rate, to show what the disk does meanwhile. */
  CompletableFuture<LoadResult> probe(Duration time) {
    var process = Objects.requireNonNull(peers.get(Peer.JDBC), "the process of the INSERTs");
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return process.pace(Contestants.INSERT, Contestants.PROBES_A_SECOND, time);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        Thread::startVirtualThread);
  }

  private Usage usage(Peer peer, PeerProcess process) throws SQLException {
    var client = ProcessorTime.of(process.pid());
    if (peer.isStartedByHand()) {
      return new Usage(client, startedServer(peer).processorTime(), 0, Double.NaN);
    }
    return new Usage(
        client,
        peer == Peer.HAPAX ? ProcessorTime.of(server.pid()) : 0,
        ProcessorTime.ofFamily(postmaster),
        queryNumber("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"));
  }

  private double serverMemory(Peer peer) throws IOException {
    return switch (peer) {
      case HAPAX -> ResidentMemory.of(server.pid());
      case TEMPORAL, RESTATE -> startedServer(peer).residentMemory();
      case JDBC, DB_SCHEDULER, DBOS -> 0;
    };
  }

  private double queryNumber(String sql) throws SQLException {
    try (var statement = database.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  @Override
  public void close() throws SQLException {
    peers.values().forEach(PeerProcess::close);
    database.close();
    server.close();
  }
}
