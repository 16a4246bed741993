package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL stands still while its connections stay open, as on a suspended machine. */
@Tag("fault")
@Tag("long")
class DatabaseFreezeIT {
  private static final Duration LENGTH = Duration.ofSeconds(15);

  /** A call is held for about 10 s, by docs/faq.md; a busy machine adds a moment. */
  private static final Duration HELD = Duration.ofSeconds(13);

  private static final Duration SOON = Duration.ofSeconds(1);

  @Test
  @Tag("kill-loops-K7")
  @DisplayName(
      "given a PostgreSQL that is frozen for 15 s under load, then calls end UNAVAILABLE within"
          + " about 10 s, are answered 1 s after it, and each has happened once [X3]")
  void frozen(@TempDir Path folder) throws Exception {
    try (var data = new DataDir(folder.resolve("data"));
        var server =
            HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + data.path());
        var caller = Caller.to(server.awaitReady());
        var load = OnceLoad.start(caller)) {
      Condition.await("some are done", Condition.MUCH_WORK, () -> load.completed() > 20);
      var frozen = System.nanoTime();
      data.freeze();
      try {
        Condition.await(
            "each client is refused, and the time has passed",
            LENGTH.multipliedBy(3),
            () -> load.isRefused() && System.nanoTime() - frozen >= LENGTH.toNanos());
      } finally {
        data.thaw();
      }
      var thawed = System.nanoTime();
      var before = load.completed();
      Condition.await("calls are answered", () -> load.completed() > before);
      var answered = Duration.ofNanos(System.nanoTime() - thawed);
      Condition.await("more are done", Condition.MUCH_WORK, () -> load.completed() > before + 20);
      load.finish();

      assertThat(answered).isLessThan(SOON);
      assertThat(load.refusals())
          .allSatisfy(
              refused -> {
                assertThat(refused.refusal().code()).isEqualTo(Code.UNAVAILABLE);
                assertThat(refused.refusal().reason())
                    .isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
                assertThat(refused.refusal().saysWhenToRetry()).as("%s", refused).isTrue();
                assertThat(refused.after()).as("%s", refused).isLessThan(HELD);
              });
      assertThat(stored(data)).isEqualTo(load.completed());
      assertThat(server.loggedErrors()).isEmpty();
    }
  }

  /** How many operations the database has. */
  private static int stored(DataDir data) throws SQLException {
    try (var connection = DriverManager.getConnection(data.url().orElseThrow());
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "SELECT (SELECT count(*) FROM hapax.operation)"
                    + " + (SELECT count(*) FROM hapax.operation_result)")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
