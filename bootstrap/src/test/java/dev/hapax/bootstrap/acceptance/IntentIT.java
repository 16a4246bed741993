package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class IntentIT {
  private final Deployment deployment = Deployment.shared();
  private final RunCaller runs = RunCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);

  IntentIT() {
    runs.define("order", RunCaller.task("charge"));
    runs.define("approval", RunCaller.signal("approved", "approval"));
  }

  @AfterEach
  void close() {
    sql.close();
    runs.close();
  }

  private Disposition started(String ticket) {
    return sql.await(ticket).getStarted().getDisposition();
  }

  @Test
  @Tag("D1")
  @DisplayName("given a start that is rolled back, then there is neither an intent nor a run")
  void rolledBack() throws SQLException {
    try (var connection = sql.begin()) {
      var ticket = sql.post(connection, "start_run", "'order'");
      connection.rollback();
      var refusal = Refusal.of(() -> sql.await(ticket, 0));
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INTENT_NOT_FOUND);
    }
    assertThat(started(sql.post("start_run", "'order'")))
        .isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(runs.list()).hasSize(1);
  }

  @Test
  @Tag("D1")
  @DisplayName(
      "given a start in a prepared transaction, then it is taken after COMMIT PREPARED, and others"
          + " do not wait for it")
  void prepared() throws SQLException {
    var most = deployment.database().query("SHOW max_prepared_transactions");
    Assumptions.assumeThat(most).isNotEqualTo("0");
    var name = runs.workspace();
    try (var connection = sql.begin();
        var statement = connection.createStatement()) {
      var late = sql.post(connection, "start_run", "'approval', token => 't'");
      statement.execute("PREPARE TRANSACTION '%s'".formatted(name));
      connection.setAutoCommit(true);

      var other = sql.post("start_run", "'approval', token => 't'");
      assertThat(started(other)).isEqualTo(Disposition.DISPOSITION_CREATED);
      assertThat(Refusal.of(() -> sql.await(late, 0)).reason())
          .isEqualTo(ErrorReason.ERROR_REASON_INTENT_NOT_FOUND);
      statement.execute("COMMIT PREPARED '%s'".formatted(name));
      assertThat(sql.await(late).getStarted().getOwnerRunId()).isEqualTo(other);

      connection.setAutoCommit(false);
      var never = sql.post(connection, "start_run", "'order'");
      statement.execute("PREPARE TRANSACTION '%s'".formatted(name));
      connection.setAutoCommit(true);
      statement.execute("ROLLBACK PREPARED '%s'".formatted(name));
      assertThat(Refusal.of(() -> sql.await(never, 0)).reason())
          .isEqualTo(ErrorReason.ERROR_REASON_INTENT_NOT_FOUND);
    }
  }

  @Test
  @Tag("D2")
  @DisplayName(
      "given a start that is committed, then there is one run with the id that was returned")
  void committed() throws SQLException {
    var ticket = sql.post("start_run", "'order', '{\"cents\": 4200}', labels => '{\"a\": \"b\"}'");
    Condition.await("the run, without a nudge", () -> !runs.list().isEmpty());
    var run = runs.list().getFirst();
    assertThat(run.getId()).isEqualTo(ticket);
    assertThat(run.getLabelsMap()).containsEntry("a", "b");
    var created = runs.get(ticket);
    assertThat(created.getInput().getJson()).isEqualTo("{\"cents\": 4200}");
    var task = runs.poll("w");
    assertThat(task.getRun().getId()).isEqualTo(ticket);
    assertThat(started(ticket)).isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(
            deployment
                .database()
                .query(
                    "SELECT state || ' ' || disposition || ' ' || run_id FROM hapax.ticket('%s', '%s')"
                        .formatted(runs.workspace(), ticket)))
        .isEqualTo("taken CREATED " + ticket);
  }

  @Test
  @DisplayName("given a session with a span, then its run has it, and what is no span is ignored")
  void traced() throws SQLException {
    try (var connection = sql.begin()) {
      SqlCaller.trace(connection, SqlCaller.SPAN);
      var run = sql.post(connection, "start_run", "'order'");
      SqlCaller.trace(connection, SqlCaller.SPAN + "0");
      var untraced = sql.post(connection, "start_run", "'order'");
      connection.commit();
      // SET LOCAL leaves an empty text behind
      var later = sql.post(connection, "start_run", "'order'");
      connection.commit();

      started(later);
      assertThat(runs.get(run).getTraceparent()).isEqualTo(SqlCaller.SPAN);
      assertThat(runs.get(untraced).getTraceparent()).isEmpty();
      assertThat(runs.get(later).getTraceparent()).isEmpty();
    }
  }

  @Test
  @Tag("D3")
  @DisplayName(
      "given one idempotency key in two transactions and a call, then all lead to the first run")
  void sameKey() throws SQLException {
    var arguments = "'order', '{\"a\": 1}', idempotency_key => 'k', token => 't'";
    String first;
    String second;
    try (var one = sql.begin();
        var other = sql.begin()) {
      first = sql.post(one, "start_run", arguments);
      second = sql.post(other, "start_run", arguments);
      one.commit();
      other.commit();
    }
    var both = List.of(sql.await(first).getStarted(), sql.await(second).getStarted());
    assertThat(both.stream().map(Intent.Started::getDisposition))
        .containsExactlyInAnyOrder(
            Disposition.DISPOSITION_CREATED, Disposition.DISPOSITION_EXISTING);
    var run = both.getFirst().getRunId();
    assertThat(both).allMatch(started -> started.getRunId().equals(run));
    var call =
        runs.send(
            runs.start("order")
                .setIdempotencyKey("k")
                .setInput(Caller.json("{ \"a\" : 1 }"))
                .addHooks(dev.hapax.v1.StartRunRequest.Hook.newBuilder().setToken("t")));
    assertThat(call.getRun().getId()).isEqualTo(run);
    var reused = sql.await(sql.post("start_run", "'order', '{\"a\": 2}', idempotency_key => 'k'"));
    assertThat(reused.getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
    var allowed =
        "'order', '{\"a\": 2}', idempotency_key => 'k', on_key_mismatch => 'return_existing'";
    assertThat(sql.await(sql.post("start_run", allowed)).getStarted().getRunId()).isEqualTo(run);
  }

  @Test
  @Tag("D4")
  @DisplayName("given an owned token, then each conflict policy has the disposition of StartRun")
  void policies() throws SQLException {
    var owner = sql.post("start_run", "'approval', token => 't'");
    assertThat(started(owner)).isEqualTo(Disposition.DISPOSITION_CREATED);
    var rejected = sql.await(sql.post("start_run", "'approval', token => 't'")).getStarted();
    assertThat(rejected.getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(rejected.getRunId()).isEmpty();
    assertThat(rejected.getOwnerRunId()).isEqualTo(owner);
    var used =
        sql.await(sql.post("start_run", "'approval', token => 't', on_conflict => 'use_existing'"))
            .getStarted();
    assertThat(used.getDisposition()).isEqualTo(Disposition.DISPOSITION_USED_EXISTING);
    assertThat(used.getRunId()).isEqualTo(owner);
    var signaled =
        sql.await(
                sql.post(
                    "start_run",
                    "'approval', token => 't', on_conflict => 'signal_existing', signal_type => 'other'"))
            .getStarted();
    assertThat(signaled.getDisposition()).isEqualTo(Disposition.DISPOSITION_SIGNALED);
    assertThat(signaled.getSignalDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    var ticket =
        sql.post(
            "start_run",
            "'approval', token => 't', on_conflict => 'supersede', expected_owner => '%s'"
                .formatted(owner));
    var superseded = sql.await(ticket).getStarted();
    assertThat(superseded.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    assertThat(superseded.getRunId()).isEqualTo(ticket);
    assertThat(superseded.getOwnerRunId()).isEqualTo(owner);
    assertThat(runs.get(owner).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
  }

  @Test
  @Tag("D6")
  @DisplayName(
      "given signals that are posted one after another, then they are received in that order")
  void ordered() throws SQLException {
    var sent = new ArrayList<String>();
    String run;
    try (var connection = sql.begin()) {
      // in one transaction: the signals name a run that does not exist yet
      run = sql.post(connection, "start_run", "'approval', token => 't'");
      for (var i = 0; i < 20; i++) {
        sent.add(sql.post(connection, "signal_run", "'%s', 'other'".formatted(run)));
      }
      connection.commit();
    }
    try (var one = sql.connect();
        var other = sql.connect()) {
      for (var i = 0; i < 20; i++) {
        sent.add(sql.post(i % 2 == 0 ? one : other, "signal_run", "'%s', 'other'".formatted(run)));
      }
    }
    assertThat(sql.await(sent.getLast()).hasSignaled()).isTrue();
    assertThat(
            runs.events(run).stream()
                .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
                .map(event -> event.getSignalReceived().getSignal().getSignalId()))
        .containsExactlyElementsOf(sent);
  }

  @Test
  @Tag("D7")
  @DisplayName(
      "given a role without a grant, then its statement fails; with one, the history has the role")
  void grants() throws SQLException {
    try (var other = SqlCaller.without(deployment.database(), runs)) {
      assertThatThrownBy(() -> other.post("start_run", "'order'"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
      other.grant("signal_run");
      assertThatThrownBy(() -> other.post("start_run", "'order'"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
      try (var connection = other.connect();
          var statement = connection.createStatement()) {
        assertThatThrownBy(
                () ->
                    statement.execute(
                        "SELECT hapax.signal_run('elsewhere', 'run_01h455vb4pex5vsknk084sn02q', 'x')"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        assertThatThrownBy(() -> statement.execute("SELECT * FROM hapax.inbox"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
      }
    }
    var run = sql.post("start_run", "'approval'");
    var cancellation = sql.await(sql.post("cancel_run", "'%s', 'enough'".formatted(run)));
    assertThat(cancellation.getCancelled().getRunId()).isEqualTo(run);
    assertThat(cancellation.getRole()).isEqualTo(sql.role());
    var first = runs.events(run).getFirst();
    var last = runs.events(run).getLast();
    assertThat(last.getType()).isEqualTo(RunEventType.RUN_EVENT_TYPE_CANCELLED);
    assertThat(List.of(first, last))
        .extracting(RunEvent::getActor)
        .containsOnly("sql:" + sql.role());
    assertThat(List.of(first, last))
        .extracting(RunEvent::getPrincipal)
        .containsOnly("sql:" + sql.role());
  }

  @Test
  @DisplayName("given a run that SQL cancels, then the audit log has the role, and no start of it")
  void audited() throws SQLException {
    var run = sql.post("start_run", "'approval'");
    var _ = sql.await(sql.post("cancel_run", "'%s', 'marker of a reason'".formatted(run)));
    var role = "\"principal\":\"sql:%s\"".formatted(sql.role());
    assertThat(deployment.server().awaitError(line -> line.contains(role)))
        .contains("\"method\":\"hapax.cancel_run\"", run, "\"code\":\"OK\"")
        .doesNotContain("marker");
    assertThat(deployment.server().errors()).filteredOn(line -> line.contains(role)).hasSize(1);
  }

  @Test
  @Tag("D8")
  @DisplayName("given intents that must fail, then each has its error, and later ones are taken")
  void failures() throws SQLException {
    List<String> tickets = new ArrayList<>();
    try (var connection = sql.connect()) {
      tickets.add(sql.post(connection, "start_run", "'nothing'"));
      tickets.add(sql.post(connection, "start_run", "'order', version => '7'"));
      tickets.add(
          sql.post(connection, "signal_run", "'run_01h455vb4pex5vsknk084sn02q', 'approval'"));
      tickets.add(sql.post(connection, "signal_hook", "'unowned', 'approval'"));
      tickets.add(sql.post(connection, "cancel_run", "'run_01h455vb4pex5vsknk084sn02q'"));
    }
    var later = sql.post("start_run", "'approval', token => 't'");
    assertThat(started(later)).isEqualTo(Disposition.DISPOSITION_CREATED);
    var signal = sql.await(sql.post("signal_hook", "'t', 'approval', '{\"ok\": true}'"));
    assertThat(signal.getSignaled().getRunId()).isEqualTo(later);
    assertThat(runs.awaitEnd(later).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    tickets.add(sql.post("signal_run", "'%s', 'approval'".formatted(later)));
    tickets.add(sql.post("cancel_run", "'%s'".formatted(later)));
    var failed = tickets.stream().map(sql::await).toList();
    assertThat(failed.stream().map(intent -> intent.getError().getReason()))
        .containsExactly(
            ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND,
            ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND,
            ErrorReason.ERROR_REASON_RUN_NOT_FOUND,
            ErrorReason.ERROR_REASON_HOOK_NOT_FOUND,
            ErrorReason.ERROR_REASON_RUN_NOT_FOUND,
            ErrorReason.ERROR_REASON_RUN_ENDED,
            ErrorReason.ERROR_REASON_ILLEGAL_TRANSITION);
    assertThat(sql.list(IntentState.INTENT_STATE_FAILED).stream().map(Intent::getTicket))
        .containsExactlyInAnyOrderElementsOf(tickets)
        .isSortedAccordingTo(Comparator.comparing(IntentIT::millisecond).reversed());
    assertThat(sql.list(IntentState.INTENT_STATE_POSTED)).isEmpty();
  }

  /** The time in a ticket; those of one millisecond have no order. */
  private static String millisecond(String ticket) {
    var digits = ticket.indexOf('_') + 1;
    return ticket.substring(digits, digits + 10);
  }

  @Test
  @Tag("D8")
  @DisplayName("given arguments that no call may have, then the function names the argument")
  void arguments() {
    var rejected =
        List.of(
            List.of("''", "definition"),
            List.of("'order', token => E'a\\nb'", "token"),
            List.of("'order', on_conflict => 'hope'", "on_conflict"),
            List.of("'order', on_conflict => 'use_existing'", "token"),
            List.of("'order', token => 't', on_conflict => 'signal_existing'", "signal_type"),
            List.of("'order', expected_owner => 'run_1'", "expected_owner"),
            List.of("'order', key_retention => '366 days'", "key_retention"),
            List.of("'order', key_retention => '0'", "key_retention"),
            List.of("'order', start_at => 'infinity'", "start_at"),
            List.of("'order', labels => '[1]'", "labels"),
            List.of("'order', to_jsonb(repeat('x', 262144))", "input"),
            List.of("'order', (repeat('[', 65) || repeat(']', 65))::jsonb", "input"));
    for (var each : rejected) {
      assertThatThrownBy(() -> sql.post("start_run", each.getFirst()))
          .as(each.getFirst())
          .isInstanceOfSatisfying(
              SQLException.class,
              e -> {
                assertThat(e.getSQLState()).isEqualTo("HX001");
                assertThat(e.getMessage()).contains(each.getLast() + " ");
              });
    }
  }

  @Test
  @Tag("D8")
  @DisplayName(
      "given a run with a full inbox, then its signal is deferred, and others and a cancellation"
          + " are taken")
  void fullInbox() throws SQLException {
    runs.define("busy", RunCaller.task("charge"));
    var run = runs.started("busy");
    String late;
    try (var connection = sql.begin()) {
      for (var i = 0; i < 1_000; i++) {
        var _ = sql.post(connection, "signal_run", "'%s', 'note'".formatted(run));
      }
      late = sql.post(connection, "signal_run", "'%s', 'note'".formatted(run));
      connection.commit();
    }
    Condition.await(
        "it is deferred", Duration.ofSeconds(60), () -> sql.await(late, 0).getTries() > 0);
    var other = sql.post("start_run", "'order'");
    assertThat(started(other)).isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(sql.list(IntentState.INTENT_STATE_POSTED).stream().map(Intent::getTicket))
        .containsExactly(late);
    var cancelled = sql.post("cancel_run", "'%s'".formatted(run));
    assertThat(sql.await(cancelled).getCancelled().getRunId()).isEqualTo(run);
    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(sql.await(late).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_RUN_ENDED);
  }
}
