package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.server.metrics.Readiness;
import dev.hapax.postgres.DatabaseState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Whether this server can answer calls: its database, the schema, its committers, its stop. */
final class ServerReadiness implements Readiness {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The schema changes seldom, and to read it takes several queries. */
  private static final Duration SCHEMA_AGE = Duration.ofSeconds(30);

  private final Supplier<DatabaseState> database;
  private final Supplier<Optional<String>> schema;
  private final BooleanSupplier committers;
  private final LongSupplier nanoTime;
  private final Executor threads = task -> Thread.ofVirtual().name("readiness").start(task);

  private CompletableFuture<Optional<String>> schemaRead = new CompletableFuture<>();
  private Optional<Long> schemaReadAt = Optional.empty();
  private volatile String state = "the server is starting";

  /**
   * Of these conditions.
   *
   * @param database whether it answers and takes writes; may block
   * @param schema what is wrong with it, if anything is; may block
   * @param committers whether they make progress
   */
  ServerReadiness(
      Supplier<DatabaseState> database,
      Supplier<Optional<String>> schema,
      BooleanSupplier committers,
      LongSupplier nanoTime) {
    this.database = database;
    this.schema = schema;
    this.committers = committers;
    this.nanoTime = nanoTime;
  }

  /** From now on calls may be sent here. */
  void serve() {
    state = "";
  }

  /** From now on no new calls should be sent here. */
  void drain() {
    state = "the server is stopping";
  }

  @Override
  public List<Check> checks() {
    var problem =
        within(
            PATIENCE,
            CompletableFuture.supplyAsync(database, threads).thenApply(DatabaseState::problem));
    var answers = problem.isEmpty() || problem.equals(DatabaseState.READ_ONLY.problem());
    return List.of(
        check("database", problem),
        check(
            "schema",
            answers
                ? within(PATIENCE, schema())
                : Optional.of("unknown, since the database does not answer")),
        check(
            "committers",
            committers.getAsBoolean() ? Optional.empty() : Optional.of("make no progress")),
        new Check("serving", state));
  }

  private static Check check(String name, Optional<String> problem) {
    return new Check(name, problem.orElse(""));
  }

  /** At most one at a time, also when one does not come back. */
  private synchronized CompletableFuture<Optional<String>> schema() {
    long now = nanoTime.getAsLong();
    var isOld = schemaReadAt.filter(at -> now - at < SCHEMA_AGE.toNanos()).isEmpty();
    if (schemaReadAt.isEmpty() || (isOld && schemaRead.isDone())) {
      schemaReadAt = Optional.of(now);
      schemaRead = CompletableFuture.supplyAsync(schema, threads);
    }
    return schemaRead;
  }

  private static Optional<String> within(
      Duration patience, CompletableFuture<Optional<String>> problem) {
    try {
      return problem.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return Optional.of("did not answer within " + patience.toSeconds() + " s");
    } catch (ExecutionException | CompletionException e) {
      return Optional.of("cannot be read: " + e.getCause());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return DatabaseState.UNREACHABLE.problem();
    }
  }
}
