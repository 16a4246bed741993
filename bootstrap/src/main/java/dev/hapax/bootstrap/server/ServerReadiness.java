package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.server.metrics.Readiness;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.postgres.DatabaseState;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
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
import java.util.stream.Collectors;

/**
 * Reports whether this server can answer calls, by its database, schema, registration, committers
 * and background loops.
 */
final class ServerReadiness implements Readiness {
  private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Other servers and {@code doctor --after-restore} take an older registration for a dead server.
   */
  private static final Duration REGISTRATION_AGE = Duration.ofSeconds(60);

  /** The schema is cached, since it rarely changes and takes several queries. */
  private static final Duration SCHEMA_AGE = Duration.ofSeconds(30);

  private final Supplier<DatabaseState> database;
  private final Supplier<Optional<String>> schema;
  private final Supplier<Optional<String>> refusal;
  private final Supplier<Duration> registrationAge;
  private final BooleanSupplier committers;
  private final Supplier<List<Loop>> loops;
  private final LongSupplier nanoTime;
  private final Executor threads = task -> Thread.ofVirtual().name("readiness").start(task);

  private CompletableFuture<Optional<String>> schemaRead = new CompletableFuture<>();
  private Optional<Long> schemaReadAt = Optional.empty();
  private volatile String state = "the server is starting";

  /**
   * Combines these conditions.
   *
   * @param database returns the state of the database; may block
   * @param schema returns the problem of the schema, if any; may block
   * @param refusal returns why the database refuses this server, if it does
   * @param registrationAge returns the time since the registration was renewed
   * @param committers returns whether the committers make progress
   * @param loops returns the background loops of this server
   */
  ServerReadiness(
      Supplier<DatabaseState> database,
      Supplier<Optional<String>> schema,
      Supplier<Optional<String>> refusal,
      Supplier<Duration> registrationAge,
      BooleanSupplier committers,
      Supplier<List<Loop>> loops,
      LongSupplier nanoTime) {
    this.database = database;
    this.schema = schema;
    this.refusal = refusal;
    this.registrationAge = registrationAge;
    this.committers = committers;
    this.loops = loops;
    this.nanoTime = nanoTime;
  }

  /** Marks the server as serving. */
  void serve() {
    state = "";
  }

  /** Marks the server as stopping. */
  void drain() {
    state = "the server is stopping";
  }

  @Override
  public List<Check> checks() {
    var problem =
        within(
            CHECK_TIMEOUT,
            CompletableFuture.supplyAsync(database, threads).thenApply(DatabaseState::problem));
    var answers = problem.isEmpty() || problem.equals(DatabaseState.READ_ONLY.problem());
    return List.of(
        check("database", problem),
        check(
            "schema",
            answers
                ? within(CHECK_TIMEOUT, schema())
                : Optional.of("unknown, since the database does not answer")),
        check("registration", refusal.get().or(this::unrenewed)),
        check(
            "committers",
            committers.getAsBoolean() ? Optional.empty() : Optional.of("no progress")),
        new Check(
            "loops",
            loops.get().stream()
                .flatMap(loop -> loop.problem().stream())
                .collect(Collectors.joining(", "))),
        new Check("serving", state));
  }

  private Optional<String> unrenewed() {
    return Optional.of(registrationAge.get())
        .filter(age -> age.compareTo(REGISTRATION_AGE) >= 0)
        .map(age -> String.format(Locale.ROOT, "not renewed for %d s", age.toSeconds()));
  }

  private static Check check(String name, Optional<String> problem) {
    return new Check(name, problem.orElse(""));
  }

  /** Runs at most one query at a time, even if one never returns. */
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
      Duration timeout, CompletableFuture<Optional<String>> problem) {
    try {
      return problem.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return Optional.of("did not answer within " + timeout.toSeconds() + " s");
    } catch (ExecutionException | CompletionException e) {
      return Optional.of("cannot be read: " + e.getCause());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return DatabaseState.UNREACHABLE.problem();
    }
  }
}
