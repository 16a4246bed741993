package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.server.metrics.Readiness.Check;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.postgres.DatabaseState;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ServerReadinessTest {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private DatabaseState database = DatabaseState.WRITABLE;
  private boolean committers = true;
  private Optional<String> schema = Optional.empty();
  private Optional<String> refusal = Optional.empty();
  private Duration registrationAge = Duration.ZERO;
  private final Loop loop = new Loop("janitors", Duration.ofSeconds(30), nanos::get);
  private final ServerReadiness readiness =
      new ServerReadiness(
          () -> database,
          () -> {
            reads.incrementAndGet();
            return schema;
          },
          () -> refusal,
          () -> registrationAge,
          () -> committers,
          () -> List.of(loop),
          nanos::get);

  @Test
  @DisplayName("given a server that serves, then every check holds, until it stops")
  void serves() {
    assertThat(readiness.checks()).contains(new Check("serving", "the server is starting"));

    readiness.serve();
    assertThat(readiness.checks())
        .extracting(Check::toString)
        .containsExactly(
            "database: ok",
            "schema: ok",
            "registration: ok",
            "committers: ok",
            "loops: ok",
            "serving: ok");

    readiness.drain();
    assertThat(readiness.checks()).contains(new Check("serving", "the server is stopping"));
  }

  @Test
  @DisplayName("given a database or a committer that is stuck, then that check says so")
  void saysWhatIsWrong() {
    committers = false;
    assertThat(readiness.checks()).contains(new Check("committers", "no progress"));

    refusal = Optional.of("this database uses feature 2 of a newer version");
    assertThat(readiness.checks()).contains(new Check("registration", refusal.get()));

    refusal = Optional.empty();
    registrationAge = Duration.ofMillis(59_999);
    assertThat(readiness.checks()).contains(new Check("registration", ""));
    registrationAge = Duration.ofSeconds(60);
    assertThat(readiness.checks()).contains(new Check("registration", "not renewed for 60 s"));

    database = DatabaseState.UNREACHABLE;
    assertThat(readiness.checks())
        .contains(
            new Check("database", "does not answer"),
            new Check("schema", "unknown, since the database does not answer"));
  }

  @Test
  @DisplayName("given a loop without a round, then the server is not ready until the next round")
  void loops() {
    nanos.addAndGet(Duration.ofSeconds(90).toNanos());
    assertThat(readiness.checks()).contains(new Check("loops", ""));
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(readiness.checks()).contains(new Check("loops", "janitors: no round for 91 s"));

    loop.ended(false);
    assertThat(readiness.checks()).contains(new Check("loops", ""));
  }

  @Test
  @DisplayName("given a read-only database, then the server is not ready")
  void readOnly() {
    database = DatabaseState.READ_ONLY;

    assertThat(readiness.checks())
        .contains(new Check("database", "is read-only"), new Check("schema", ""));
  }

  @Test
  @DisplayName("given a database that never answers, then the check ends")
  void doesNotWaitForEver() {
    var never = new CountDownLatch(1);
    var stuck =
        new ServerReadiness(
            () -> {
              try {
                never.await();
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
              return DatabaseState.WRITABLE;
            },
            Optional::empty,
            Optional::empty,
            () -> Duration.ZERO,
            () -> true,
            List::of,
            System::nanoTime);

    assertThat(stuck.checks()).contains(new Check("database", "did not answer within 5 s"));
    never.countDown();
  }

  @Test
  @DisplayName("given many probes, then the schema is read at most twice a minute")
  void readsTheSchemaSeldom() {
    assertThat(readiness.checks()).contains(new Check("schema", ""));
    schema = Optional.of("has version 1, this server needs 2");
    assertThat(readiness.checks()).contains(new Check("schema", ""));
    assertThat(reads).hasValue(1);

    nanos.addAndGet(Duration.ofSeconds(31).toNanos());
    assertThat(readiness.checks()).contains(new Check("schema", schema.get()));
    assertThat(reads).hasValue(2);
  }

  @Test
  @DisplayName("given a schema version, then an older one is a problem and a newer one is not")
  void versions() {
    var shipped = Migrations.shipped();
    int wanted = Migrations.newest();
    assertThat(SchemaVersion.problem(new SchemaState.Behind(0, shipped)))
        .contains("is missing: run `hapax migrate`");
    assertThat(SchemaVersion.problem(new SchemaState.Behind(8, shipped.subList(8, shipped.size()))))
        .contains(
            String.format(
                Locale.ROOT,
                "has version 8, but this version needs %d: run `hapax migrate`",
                wanted));
    assertThat(SchemaVersion.problem(new SchemaState.Differs()).orElseThrow())
        .startsWith("differs from the migrations of this version");
    assertThat(SchemaVersion.problem(new SchemaState.Usable(wanted))).isEmpty();
    assertThat(SchemaVersion.problem(new SchemaState.Usable(wanted + 1))).isEmpty();
  }
}
