package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The backlog of one workspace beside the intents of another. */
@Tag("long")
class InboxFairnessIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int TRIES = 20;
  private static final Duration SOON = Duration.ofSeconds(2);

  @Test
  @Tag("nightly")
  @DisplayName(
      "given 300,000 signals of one workspace that wait for their run, then an intent of another"
          + " workspace is taken within 2 s, 20 of 20 [security-S1]")
  void deferred() throws SQLException {
    deferred(300_000);
  }

  @Test
  @Tag("fault")
  @DisplayName(
      "given 30,000 signals of one workspace that wait for their run, then an intent of another"
          + " workspace is taken within 2 s, 20 of 20 [security-S1]")
  void fewDeferred() throws SQLException {
    deferred(30_000);
  }

  private static void deferred(int signals) throws SQLException {
    try (var deployment = Deployment.start();
        var eu = RunCaller.to(deployment.target());
        var us = RunCaller.to(deployment.target())) {
      eu.define("pause", RunCaller.timer("pause", Caller.seconds(3_600)));
      us.define("order", RunCaller.timer("pause", Caller.seconds(3_600)));
      var run = eu.send(eu.start("pause")).getRun().getId();
      try (var noisy = SqlCaller.to(deployment.database(), eu);
          var quiet = SqlCaller.to(deployment.database(), us);
          var connection = noisy.connect();
          var posting = connection.createStatement()) {
        posting.execute(
            String.format(
                Locale.ROOT,
                "SELECT count(hapax.signal_run('%s', '%s', 'x')) FROM generate_series(1, %d)",
                eu.workspace(),
                run,
                signals));
        Condition.await(
            "the run takes no more",
            PATIENCE,
            () ->
                deployment
                    .database()
                    .query(
                        "SELECT count(*) > 0 FROM hapax.inbox WHERE not_before > clock_timestamp()")
                    .equals("t"));
        var slow = new ArrayList<Duration>();
        for (var i = 0; i < TRIES; i++) {
          var ticket = quiet.post("start_run", "'order'");
          var began = System.nanoTime();
          // no call nudges the server
          Condition.await("it is taken", PATIENCE, () -> isTaken(deployment, ticket));
          var took = Duration.ofNanos(System.nanoTime() - began);
          if (took.compareTo(SOON) > 0) {
            slow.add(took);
          }
        }
        assertThat(slow).isEmpty();
        assertThat(
                Integer.parseInt(deployment.database().query("SELECT count(*) FROM hapax.inbox")))
            .isGreaterThan(signals / 2);
      }
    }
  }

  private static boolean isTaken(Deployment deployment, String ticket) {
    return deployment
        .database()
        .query(
            "SELECT count(*) FROM hapax.intent_outcome WHERE id = hapax.parse_id('run', '%s')"
                .formatted(ticket))
        .equals("1");
  }
}
