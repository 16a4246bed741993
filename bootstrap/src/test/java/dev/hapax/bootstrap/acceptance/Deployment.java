package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A database, and the server processes on it. With {@code -Dhapax.cell=second} the workspaces of
 * the test are in a second database, which is the one that the test sees; with {@code citus} that
 * is one of the cluster at {@code HAPAX_TEST_CITUS_URL}.
 */
public final class Deployment implements AutoCloseable {
  private final TestDatabase database;
  private final Optional<CellDatabases> cells;
  private final List<HapaxProcess> servers = new ArrayList<>();
  private final String target;

  private Deployment(TestDatabase database, List<String> jvmFlags, List<String> settings) {
    this(database, Optional.empty(), jvmFlags, settings);
  }

  private Deployment(
      TestDatabase database,
      Optional<CellDatabases> cells,
      List<String> jvmFlags,
      List<String> settings) {
    this.database = database;
    this.cells = cells;
    target = add(jvmFlags, settings).awaitReady();
  }

  /** A deployment of its own. */
  public static Deployment start(String... jvmFlags) {
    return create(List.of(jvmFlags), List.of());
  }

  private static Deployment create(List<String> jvmFlags, List<String> settings) {
    if (CellDatabases.PROPERTY.isEmpty()) {
      return new Deployment(TestDatabase.create(), jvmFlags, settings);
    }
    var cells = CellDatabases.create();
    cells.placeAll();
    return new Deployment(cells.second(), Optional.of(cells), jvmFlags, settings);
  }

  /** A deployment with two cells, whose database is the first one. */
  static Deployment of(CellDatabases cells, String... settings) {
    return new Deployment(cells.first(), Optional.of(cells), List.of(), List.of(settings));
  }

  /** A deployment of its own, whose first server has these settings. */
  public static Deployment configured(String... settings) {
    return create(List.of(), List.of(settings));
  }

  /** One on a database that its test has prepared. */
  static Deployment on(TestDatabase database, String... settings) {
    return new Deployment(database, List.of(), List.of(settings));
  }

  /** The one for tests that leave it as they found it. */
  public static Deployment shared() {
    return Shared.INSTANCE;
  }

  /** One more server on the same database with these settings, not yet ready. */
  public HapaxProcess add(String... settings) {
    return add(List.of(), List.of(settings));
  }

  /** One more server, on a JVM with these flags. */
  HapaxProcess add(List<String> jvmFlags, List<String> settings) {
    var arguments = new ArrayList<>(List.of("serve"));
    if (settings.stream().noneMatch(setting -> setting.startsWith("--listen="))) {
      arguments.add("--listen=127.0.0.1:0");
    }
    arguments.add("--database-url=" + cells.map(CellDatabases::first).orElse(database).url());
    cells.map(CellDatabases::setting).ifPresent(arguments::add);
    arguments.addAll(settings);
    var server = HapaxProcess.start(jvmFlags, arguments.toArray(String[]::new));
    servers.add(server);
    return server;
  }

  public TestDatabase database() {
    return database;
  }

  /** The first server. */
  public HapaxProcess server() {
    return servers.getFirst();
  }

  /** Kills all servers at once. */
  void killServers() {
    servers.forEach(HapaxProcess::kill9);
  }

  /** Where the first server listens. */
  public String target() {
    return target;
  }

  /** A client of the first server with a workspace of its own. */
  Caller caller() {
    return Caller.to(target);
  }

  /**
   * Counts rows.
   *
   * @param rows what follows FROM
   */
  int count(String rows) {
    return Integer.parseInt(database.query("SELECT count(*) FROM " + rows));
  }

  /** How many places of runs in line a workspace has. */
  int places(String workspace) {
    return count("hapax.place WHERE workspace = '%s'".formatted(workspace));
  }

  /** How many operations are stored, finished ones too. */
  long rows() {
    return Long.parseLong(
        database.query(
            "SELECT (SELECT count(*) FROM hapax.operation)"
                + " + (SELECT count(*) FROM hapax.operation_result)"));
  }

  /** The time of the database, for {@link #rowsSince}. */
  String now() {
    return database.query("SELECT clock_timestamp()");
  }

  /**
   * How many operations of this time or later are stored, in whatever workspace. Earlier ones may
   * be removed at any moment.
   */
  long rowsSince(String time) {
    return Long.parseLong(
        database.query(
            """
            SELECT (SELECT count(*) FROM hapax.operation WHERE started_at >= '%1$s')
                + (SELECT count(*) FROM hapax.operation_result WHERE started_at >= '%1$s')\
            """
                .formatted(time)));
  }

  /** Connections to the database, but the one that asks. */
  int connections() {
    return connections("");
  }

  /** Those in a statement or a transaction. */
  int busyConnections() {
    return connections(" AND state <> 'idle'");
  }

  private int connections(String which) {
    return Integer.parseInt(
        database.query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
                + which));
  }

  /** Waits until no operation of this workspace has a lease that lives. */
  void awaitLeasesOver(Caller caller) {
    Condition.await(
        "the leases of " + caller.workspace() + " end",
        () ->
            database
                .query(
                    "SELECT count(*) FROM hapax.operation WHERE state = 1 AND"
                        + " until > clock_timestamp() AND workspace = '"
                        + caller.workspace()
                        + "'")
                .equals("0"));
  }

  /** Log lines of the first server that a client's error must not cause. */
  List<String> complaints() {
    return server().errors().stream()
        // the test database is not durable and a busy machine slow; what becomes of work is no
        // complaint, nor is a janitor that ended with its test
        .filter(line -> !line.matches(".* (DatabaseStart|WorkLog|JanitorHealth|HealthMonitor): .*"))
        .filter(
            line ->
                line.contains(" ERROR ")
                    || line.contains(" WARN ")
                    || line.contains("Exception")
                    || line.startsWith("\tat "))
        .toList();
  }

  /** Stops the first server when the tests end. */
  void closeAtExit() {
    Runtime.getRuntime().addShutdownHook(new Thread(server()::close));
  }

  @Override
  public void close() {
    servers.forEach(HapaxProcess::close);
    cells.ifPresentOrElse(CellDatabases::close, database::close);
  }

  private static final class Shared {
    static final Deployment INSTANCE = untilTheEnd();

    private static Deployment untilTheEnd() {
      var deployment = start();
      deployment.closeAtExit();
      return deployment;
    }
  }
}
