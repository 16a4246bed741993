package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and stops the server process of a cluster, and cleans up after an earlier run. */
final class Postmaster {
  private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);

  // after a crash, the start replays up to max_wal_size of write-ahead log
  private static final Duration START_WAIT = Duration.ofMinutes(10);
  private static final Duration FAST_STOP_WAIT = Duration.ofSeconds(30);
  private static final Duration IMMEDIATE_STOP_WAIT = Duration.ofSeconds(5);

  private final Cluster cluster;
  private final PostgresPrograms programs;
  private final ServerLog log;

  Postmaster(Cluster cluster, PostgresPrograms programs) {
    this.cluster = cluster;
    this.programs = programs;
    this.log = new ServerLog(cluster.folder().resolveSibling("postgres.log"));
  }

  /** Starts PostgreSQL once; a failure contains its log. */
  PostmasterFile start(int port) throws IOException {
    cleanUpEarlierRun();
    long mark = log.mark(programs.account());
    var started =
        programs.run(
            "pg_ctl",
            "--pgdata=" + cluster.folder(),
            "--log=" + log.file(),
            "--options=" + PostgresOptions.commandLine(port),
            "--timeout=" + START_WAIT.toSeconds(),
            "--wait",
            "start");
    if (started.failed()) {
      throw new StartFailedException(started.output().strip(), log.since(mark));
    }
    return PostmasterFile.read(cluster.folder())
        .orElseThrow(() -> new IOException("PostgreSQL exited right after its start"));
  }

  /** Stops PostgreSQL; a forced stop costs a replay at the next start, but no data. */
  void stop(ProcessHandle process) throws IOException {
    if (!Processes.isRunning(process)
        || stopped("fast", FAST_STOP_WAIT)
        || stopped("immediate", IMMEDIATE_STOP_WAIT)) {
      return;
    }
    LOG.warn("PostgreSQL (process {}) did not stop, killing it", process.pid());
    var children = process.children().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    awaitEnd(process);
  }

  private boolean stopped(String mode, Duration wait) throws IOException {
    return !programs
        .run(
            "pg_ctl",
            "--pgdata=" + cluster.folder(),
            "--mode=" + mode,
            "--timeout=" + wait.toSeconds(),
            "--wait",
            "stop")
        .failed();
  }

  private static void awaitEnd(ProcessHandle process) throws IOException {
    try {
      process.onExit().get(IMMEDIATE_STOP_WAIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while PostgreSQL was stopped", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("cannot kill PostgreSQL (process " + process.pid() + ")", e);
    }
  }

  // a surviving PostgreSQL is stopped, so that no session of the killed run lives on
  private void cleanUpEarlierRun() throws IOException {
    switch (StaleServer.in(cluster.folder())) {
      case StaleServer.Nothing() -> {}
      case StaleServer.Killed(var pid) ->
          LOG.info("recovering after PostgreSQL (process {}) was killed", pid);
      case StaleServer.StaleFile(var reason) -> {
        LOG.info("removing a stale postmaster.pid: {}", reason);
        Files.deleteIfExists(PostmasterFile.in(cluster.folder()));
      }
      case StaleServer.Running(var process) -> {
        LOG.info("stopping the PostgreSQL of an earlier run (process {})", process.pid());
        stop(process);
      }
      case StaleServer.Unclear(var process) ->
          throw new IOException(
              String.format(
                  Locale.ROOT,
                  "process %d may be a PostgreSQL that serves %s: stop it, or remove %s",
                  process.pid(),
                  cluster.folder(),
                  PostmasterFile.in(cluster.folder())));
    }
  }
}
