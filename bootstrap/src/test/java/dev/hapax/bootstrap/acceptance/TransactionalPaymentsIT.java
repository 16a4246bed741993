package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.TransactionalPaymentsMain.Window;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.claim.ActionOutcome;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.claim.JanitorTerms;
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
class TransactionalPaymentsIT {
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final EntityKey INVOICE = EntityKey.of("invoice", "I-17");
  private static final long CENTS = TransactionalPaymentsMain.CENTS;

  private final Deployment deployment = Deployment.shared();
  private final RunCaller runs = RunCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);
  private final String schema = sql.role();
  private final HapaxClient client =
      HapaxClient.on(
          runs.caller().channel(), ClientOptions.DEFAULT.withWorkspace(runs.workspace()));
  private final TransactionalPayments payments =
      new TransactionalPayments(client.claims(), sql.dataSource());
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
    client
        .janitors()
        .declare(
            JanitorTerms.hosted("payments")
                .withAllClaimStates()
                .withStaleAfter(Duration.ofSeconds(30))
                .withEvery(Duration.ofMillis(500)));
    client
        .lifecycles()
        .apply(Files.readString(EXAMPLES.resolve(Path.of("lifecycles", "invoice.json"))));
    client.entities().create(INVOICE, "sent");
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
            INVOICE.id(),
            window.name(),
            folder.resolve("go").toString());
    holder.awaitOutput(window.name()::equals);
    return holder;
  }

  private String status() {
    return client.entities().get(INVOICE).getStatus();
  }

  private String payments() {
    return deployment.database().query("SELECT count(*) FROM %s.payment".formatted(schema));
  }

  private void assertNothingWritten() {
    Condition.await("the entity is reverted", () -> status().equals("sent"));
    assertThat(payments()).isEqualTo("0");
  }

  private void assertPaidOnce() throws SQLException {
    assertThat(payments.apply(INVOICE.id(), CENTS))
        .isEqualTo(new ActionOutcome.WrongStatus<>("paid"));
    assertThat(payments()).isEqualTo("1");
    assertThat(deployment.database().query("SELECT paid_cents FROM %s.invoice".formatted(schema)))
        .isEqualTo(String.valueOf(CENTS));
  }

  @Test
  @Tag("D12")
  @DisplayName("given a payment, then the invoice is paid, and a second payment is not applied")
  void paid() throws SQLException {
    assertThat(payments.apply(INVOICE.id(), 0)).isInstanceOf(ActionOutcome.Invalid.class);
    assertThat(payments.apply(INVOICE.id(), CENTS).orThrow()).isEqualTo(CENTS);
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
    assertThat(payments.apply(INVOICE.id(), CENTS).orThrow()).isEqualTo(CENTS);
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
    assertThat(payments.apply(INVOICE.id(), CENTS).orThrow()).isEqualTo(CENTS);
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
          client
              .claims()
              .run(
                  TransactionalPayments.request(INVOICE.id()),
                  action -> {
                    holder.cont();
                    holder.awaitOutput((TransactionalPaymentsMain.OUTCOME + "ClaimLost")::equals);
                    try (var connection = sql.begin()) {
                      var result =
                          action.complete(
                              connection,
                              TransactionalPayments.write(connection, INVOICE.id(), CENTS));
                      connection.commit();
                      return result;
                    }
                  });
      assertThat(other.orThrow()).isEqualTo(CENTS);
    }
    assertPaidOnce();
  }
}
