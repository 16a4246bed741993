package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.acceptance.TransactionalPaymentsMain.Window;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.client.ActOutcome;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.InvalidAction;
import dev.hapax.client.JanitorTerms;
import dev.hapax.examples.billing.TransactionalPayments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example with one commit: whenever its holder dies, the invoice has one payment. */
@Tag("fault")
@Tag("long")
class TransactionalPaymentsIT {
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final String INVOICE = "I-17";
  private static final long CENTS = TransactionalPaymentsMain.CENTS;

  private final Deployment deployment = Deployment.shared();
  private final RunCaller runs = RunCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);
  private final String schema = sql.role();
  private final Hapax hapax =
      Hapax.builder(Map.of())
          .channel(runs.caller().channel())
          .workspace(runs.workspace())
          .connect();
  private final TransactionalPayments payments =
      new TransactionalPayments(hapax.entities(), sql.dataSource());
  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void set() throws IOException {
    deployment
        .database()
        .execute(
            "CREATE SCHEMA %1$s; SET search_path = %1$s;".formatted(schema)
                + Files.readString(EXAMPLES.resolve(Path.of("sql", "billing.sql")))
                + """
                GRANT USAGE ON SCHEMA %1$s TO %1$s;
                GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA %1$s TO %1$s;
                ALTER ROLE %1$s SET search_path = %1$s;
                INSERT INTO invoice (number, cents) VALUES ('I-17', 1250)"""
                    .formatted(schema));
    hapax
        .lifecycles()
        .declare(
            JanitorTerms.hosted("payments")
                .allClaimStates()
                .staleAfter(Duration.ofSeconds(30))
                .every(Duration.ofMillis(500)));
    hapax
        .lifecycles()
        .apply(Files.readString(EXAMPLES.resolve(Path.of("lifecycles", "invoice.json"))));
    hapax.entities().create("invoice", INVOICE, "sent");
  }

  @AfterEach
  void close() {
    deployment.database().execute("DROP SCHEMA %s CASCADE".formatted(schema));
    sql.close();
    runs.close();
  }

  /** A holder that has reached this window. */
  private HapaxProcess holder(Window window) {
    var holder =
        HapaxProcess.startMain(
            TransactionalPaymentsMain.class.getName(),
            Map.of(),
            deployment.target(),
            runs.workspace(),
            sql.url(),
            INVOICE,
            window.name(),
            folder.resolve("go").toString());
    holder.awaitOutput(window.name()::equals);
    return holder;
  }

  private String status() {
    return hapax.entities().get("invoice", INVOICE).status();
  }

  private String payments() {
    return deployment.database().query("SELECT count(*) FROM %s.payment".formatted(schema));
  }

  private void assertNothingWritten() {
    Condition.await("the entity is reverted", () -> status().equals("sent"));
    assertThat(payments()).isEqualTo("0");
  }

  private void assertPaidOnce() throws SQLException {
    assertThat(payments.apply(INVOICE, CENTS)).isEqualTo(new ActOutcome.WrongStatus<>("paid"));
    assertThat(payments()).isEqualTo("1");
    assertThat(deployment.database().query("SELECT paid_cents FROM %s.invoice".formatted(schema)))
        .isEqualTo(String.valueOf(CENTS));
  }

  @Test
  @Tag("D12")
  @DisplayName("given a payment, then the invoice is paid, and a second payment is not applied")
  void paid() throws SQLException {
    assertThatThrownBy(() -> payments.apply(INVOICE, 0)).isInstanceOf(InvalidAction.class);
    assertThat(payments.apply(INVOICE, CENTS).orThrow()).isEqualTo(Long.toString(CENTS));
    assertPaidOnce();
  }

  @Test
  @Tag("D11")
  @DisplayName("given a holder killed before the function, then the next caller pays, once")
  void killedBeforeFunction() throws SQLException {
    try (var holder = holder(Window.BEFORE_FUNCTION)) {
      holder.kill9();
    }
    assertNothingWritten();
    assertThat(payments.apply(INVOICE, CENTS).orThrow()).isEqualTo(Long.toString(CENTS));
    assertPaidOnce();
  }

  @Test
  @Tag("D11")
  @DisplayName("given a holder killed before its COMMIT, then the next caller pays, once")
  void killedBeforeCommit() throws SQLException {
    try (var holder = holder(Window.BEFORE_COMMIT)) {
      holder.kill9();
    }
    assertNothingWritten();
    assertThat(payments.apply(INVOICE, CENTS).orThrow()).isEqualTo(Long.toString(CENTS));
    assertPaidOnce();
  }

  @Test
  @Tag("D12")
  @DisplayName("given a holder killed after its COMMIT, then the invoice is paid, once")
  void killedAfterCommit() throws SQLException {
    try (var holder = holder(Window.AFTER_COMMIT)) {
      holder.kill9();
    }
    assertThat(status()).isEqualTo("paid");
    assertPaidOnce();
  }

  @Test
  @Tag("D13")
  @DisplayName(
      "given a stopped holder, when another caller has paid, then its payment is rolled back")
  void stopped() throws Exception {
    try (var holder = holder(Window.BEFORE_FUNCTION)) {
      holder.stop();
      // its transaction has locked the row of the invoice, so that only the entity is free
      Condition.await("the entity is reverted", () -> status().equals("sent"));
      Files.createFile(folder.resolve("go"));
      var other =
          hapax
              .entities()
              .tryAct(
                  TransactionalPayments.action(INVOICE),
                  Codec.jsonText(),
                  claim -> {
                    holder.cont();
                    holder.awaitOutput((TransactionalPaymentsMain.OUTCOME + "ClaimLost")::equals);
                    try (var connection = sql.begin()) {
                      var result =
                          claim.completeIn(
                              connection, TransactionalPayments.write(connection, INVOICE, CENTS));
                      connection.commit();
                      return result;
                    }
                  });
      assertThat(other.orThrow()).isEqualTo(Long.toString(CENTS));
    }
    assertPaidOnce();
  }
}
