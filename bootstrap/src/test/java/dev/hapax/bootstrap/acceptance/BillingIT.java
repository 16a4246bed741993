package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.client.ActOutcome;
import dev.hapax.client.Claim;
import dev.hapax.client.Codec;
import dev.hapax.client.Entities;
import dev.hapax.client.Entity;
import dev.hapax.client.Hapax;
import dev.hapax.client.InvalidAction;
import dev.hapax.client.Janitor;
import dev.hapax.client.JanitorTerms;
import dev.hapax.client.Worker;
import dev.hapax.examples.billing.Billing;
import dev.hapax.examples.billing.Payments;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.RecoveryOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example, with holders that are killed and that stand still: the invoices come out right. */
@Tag("fault")
@Tag("long")
class BillingIT {
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final Key BILLING = new Key("billing", "2031-17");
  private static final Key INVOICE = new Key("invoice", "I-17");
  private static final long CENTS = BillingMain.CENTS;
  private static final int CALLERS = 50;

  /** An entity. */
  private record Key(String lifecycle, String id) {}

  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();
  private final TestDatabase tables = TestDatabase.create();
  private final Hapax hapax =
      Hapax.builder(Map.of()).channel(caller.channel()).workspace(caller.workspace()).connect();
  private final Entities entities = hapax.entities();
  private final ConcurrentLinkedQueue<String> mails = new ConcurrentLinkedQueue<>();
  private final Billing billing =
      new Billing(entities, tables.dataSource(), (key, closed) -> mails.add(closed));
  private final Payments payments = new Payments(entities, tables.dataSource());
  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void set() throws IOException {
    tables.execute(Files.readString(EXAMPLES.resolve(Path.of("sql", "billing.sql"))));
    tables.execute(
        """
        INSERT INTO billing (id) VALUES ('2031-17');
        INSERT INTO billing_line VALUES ('2031-17', 1000), ('2031-17', 250);
        INSERT INTO invoice (number, cents) VALUES ('I-17', 1250);
        INSERT INTO document (invoice, cents) VALUES ('I-17', 1250);
        """);
    var lifecycles = EXAMPLES.resolve("lifecycles");
    hapax
        .lifecycles()
        .apply(
            List.of(
                Files.readString(lifecycles.resolve("billing.json")),
                Files.readString(lifecycles.resolve("invoice.json"))),
            List.of(
                soon(JanitorTerms.hosted("billing", "closing")),
                soon(JanitorTerms.remote("payments").allClaimStates())),
            "");
    entities.create(BILLING.lifecycle(), BILLING.id(), "approved");
    entities.create(INVOICE.lifecycle(), INVOICE.id(), "sent");
  }

  private static JanitorTerms soon(JanitorTerms terms) {
    return terms.staleAfter(Duration.ofSeconds(30)).every(Duration.ofMillis(500));
  }

  @AfterEach
  void close() {
    caller.close();
    tables.close();
  }

  private Janitor janitor() {
    return hapax.janitor("payments").start(payments::look);
  }

  private Worker worker() {
    return hapax
        .worker()
        .queue(
            "SendBillingEmails",
            effect -> {
              billing.sendEmails(effect);
              return null;
            })
        .queue(
            "SendReceipt",
            effect -> {
              mails.add(effect.message().getRun().getLabelsOrThrow("hapax.entity"));
              return null;
            })
        .start();
  }

  private Entity get(Key entity) {
    return entities.get(entity.lifecycle(), entity.id());
  }

  /** Another holder acts, and neither writes nor completes before it is released. */
  private HapaxProcess other(String step, Key entity) {
    var other =
        HapaxProcess.startMain(
            BillingMain.class.getName(),
            Map.of(),
            deployment.target(),
            caller.workspace(),
            tables.url(),
            step,
            entity.id(),
            folder.toString());
    other.awaitOutput(BillingMain.ACTS::equals);
    // its lease is short, so that only its renewals can keep it
    var until = get(entity).message().getClaim().getLeaseUntil();
    Condition.await(
        "renewed", () -> !get(entity).message().getClaim().getLeaseUntil().equals(until));
    return other;
  }

  private void let(String file) throws IOException {
    Files.createFile(folder.resolve(file));
  }

  private void awaitStatus(Key entity, String status) {
    Condition.await(entity + " is " + status, () -> get(entity).status().equals(status));
  }

  private List<EntityEventType> history(Key entity) {
    return entities.history(entity.lifecycle(), entity.id(), 0).map(EntityEvent::getType).toList();
  }

  private void assertPaidOnce() {
    assertThat(get(INVOICE).status()).isEqualTo("paid");
    assertThat(tables.query("SELECT count(*) FROM payment")).isEqualTo("1");
    assertThat(tables.query("SELECT paid_cents FROM invoice")).isEqualTo("" + CENTS);
    try (var worker = worker()) {
      assertThat(worker).isNotNull();
      Condition.await("the receipt is sent", () -> !mails.isEmpty());
    }
    assertThat(mails).containsExactly("I-17");
  }

  private void assertClosedOnce() {
    assertThat(get(BILLING).status()).isEqualTo("closed");
    assertThat(tables.query("SELECT total_cents FROM billing")).isEqualTo("1250");
    try (var worker = worker()) {
      assertThat(worker).isNotNull();
      Condition.await("the mails are sent", () -> !mails.isEmpty());
    }
    assertThat(mails).containsExactly("2031-17");
  }

  /** The action of the example, as its body does it. */
  private interface Body {
    String run(Claim claim) throws SQLException;
  }

  /** All callers at once; the granted one acts after all others have an answer. */
  private void race(String step, String id, Body body) throws Exception {
    var others = new CountDownLatch(CALLERS - 1);
    var calls = new ArrayList<Future<ActOutcome<String>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var i = 0; i < CALLERS; i++) {
        var each = hapax.actor("caller-" + i).entities();
        calls.add(
            threads.submit(
                () -> {
                  var outcome =
                      each.tryAct(
                          BillingMain.action(step, id),
                          Codec.text(),
                          claim -> {
                            assertThat(others.await(30, TimeUnit.SECONDS)).isTrue();
                            return body.run(claim);
                          });
                  others.countDown();
                  return outcome;
                }));
      }
    }
    var outcomes = ConcurrentCalls.answers(calls);
    assertThat(outcomes).filteredOn(ActOutcome.Done.class::isInstance).hasSize(1);
    assertThat(outcomes)
        .filteredOn(ActOutcome.ClaimFailed.class::isInstance)
        .hasSize(CALLERS - 1)
        .allMatch(
            outcome ->
                outcome instanceof ActOutcome.ClaimFailed<?> other
                    && other.message().contains("another operation is already in progress")
                    && other.holder().startsWith("caller-"));
  }

  @Test
  @DisplayName(
      "of 50 concurrent callers one closes the billing, and its emails go out once " + "[C1]")
  void closedByOne() throws Exception {
    race("close", BILLING.id(), action -> billing.close(action, BILLING.id()));
    assertClosedOnce();
    assertThat(billing.close(BILLING.id())).isEqualTo(new ActOutcome.WrongStatus<>("closed"));
  }

  @Test
  @DisplayName(
      "of 50 concurrent callers one regenerates the invoice, which has one document " + "[C1]")
  void regeneratedByOne() throws Exception {
    race("regenerate", INVOICE.id(), action -> payments.regenerate(action, INVOICE.id()));
    assertThat(tables.query("SELECT count(*) FROM document")).isEqualTo("2");
    assertThat(tables.query("SELECT count(*) FROM document WHERE NOT deleted")).isEqualTo("1");
    assertThat(get(INVOICE).status()).isEqualTo("sent");
  }

  @Test
  @DisplayName("of 50 concurrent callers one applies the payment [C1]")
  void appliedByOne() throws Exception {
    race("apply_payment", INVOICE.id(), action -> payments.apply(action, INVOICE.id(), CENTS));
    assertPaidOnce();
  }

  @Test
  @DisplayName(
      "a payment of nothing is refused; an overdue invoice is paid from there [C2, " + "C3]")
  void overdue() throws SQLException {
    assertThatThrownBy(() -> payments.apply(INVOICE.id(), 0)).isInstanceOf(InvalidAction.class);
    assertThat(payments.markOverdue(INVOICE.id())).isInstanceOf(ActOutcome.Done.class);
    assertThat(payments.markOverdue(INVOICE.id()))
        .isEqualTo(new ActOutcome.WrongStatus<>("overdue"));
    assertThat(payments.apply(INVOICE.id(), CENTS).orThrow()).isEqualTo(INVOICE.id());
    assertPaidOnce();
  }

  @Test
  @DisplayName("killed before it wrote: the invoice goes back, and the next one is it [C6, C9]")
  void killedBefore() throws Exception {
    try (var other = other("apply_payment", INVOICE)) {
      other.kill9();
    }
    try (var janitor = janitor()) {
      assertThat(janitor).isNotNull();
      awaitStatus(INVOICE, "sent");
    }
    assertThat(payments.apply(INVOICE.id(), CENTS).orThrow()).isEqualTo(INVOICE.id());
    assertPaidOnce();
    assertThat(history(INVOICE))
        .containsExactly(
            EntityEventType.ENTITY_EVENT_TYPE_CREATED,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN,
            EntityEventType.ENTITY_EVENT_TYPE_RECOVERY_BEGAN,
            EntityEventType.ENTITY_EVENT_TYPE_RECOVERED,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
  }

  @Test
  @DisplayName("killed after it wrote: its payment is found, and the invoice is paid [C6, C9]")
  void killedAfter() throws Exception {
    try (var other = other("apply_payment", INVOICE)) {
      let(BillingMain.WRITE);
      other.awaitOutput((BillingMain.WROTE + "Success")::equals);
      other.kill9();
    }
    Condition.await("its lease ends", () -> outcome().equals(new ActOutcome.NeedsRecovery<>()));
    try (var janitor = janitor()) {
      assertThat(janitor).isNotNull();
      awaitStatus(INVOICE, "paid");
    }
    assertPaidOnce();
    assertThat(payments.apply(INVOICE.id(), CENTS)).isEqualTo(new ActOutcome.WrongStatus<>("paid"));
  }

  private ActOutcome<String> outcome() {
    try {
      return payments.apply(INVOICE.id(), CENTS);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName(
      "a holder that stood still is refused by the fence that the janitor left there " + "[C7]")
  void stoodStill() throws Exception {
    try (var other = other("apply_payment", INVOICE);
        var janitor = janitor()) {
      assertThat(janitor).isNotNull();
      other.stop();
      awaitStatus(INVOICE, "sent");
      Entity before = get(INVOICE);

      let(BillingMain.WRITE);
      let(BillingMain.END);
      other.cont();
      other.awaitOutput((BillingMain.WROTE + "Failure")::equals);
      other.awaitOutput((BillingMain.OUTCOME + "ClaimLost")::equals);

      assertThat(get(INVOICE)).isEqualTo(before);
      assertThat(tables.query("SELECT count(*) FROM payment")).isEqualTo("0");
    }
    assertThat(payments.apply(INVOICE.id(), CENTS).orThrow()).isEqualTo(INVOICE.id());
    assertPaidOnce();
  }

  @Test
  @DisplayName(
      "given a holder stopped after its write, when the janitor reverts first, then "
          + "its claim is lost [C7]")
  void stoodStillAfter() throws Exception {
    try (var other = other("regenerate", INVOICE);
        var janitor = janitor()) {
      assertThat(janitor).isNotNull();
      let(BillingMain.WRITE);
      other.awaitOutput((BillingMain.WROTE + "Success")::equals);
      other.stop();
      awaitStatus(INVOICE, "sent");
      Entity before = get(INVOICE);

      let(BillingMain.END);
      other.cont();
      other.awaitOutput((BillingMain.OUTCOME + "ClaimLost")::equals);

      assertThat(get(INVOICE)).isEqualTo(before);
      assertThat(tables.query("SELECT count(*) FROM document WHERE NOT deleted")).isEqualTo("1");
      assertThat(
              entities
                  .history(INVOICE.lifecycle(), INVOICE.id(), 0)
                  .map(event -> event.getRecovered().getOutcome()))
          .last()
          .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
    }
  }

  @Test
  @DisplayName("where the janitor is hosted the billing goes back by itself [C6]")
  void killedHosted() throws Exception {
    try (var other = other("close", BILLING)) {
      other.kill9();
    }
    awaitStatus(BILLING, "approved");
    assertThat(billing.close(BILLING.id())).isInstanceOf(ActOutcome.Done.class);
    assertClosedOnce();
  }

  @Test
  @DisplayName(
      "given a stopped holder, when another one closed the entity, then it cannot "
          + "close it again [C7]")
  void stoodStillHosted() throws Exception {
    try (var other = other("close", BILLING)) {
      other.stop();
      Condition.await(
          "another holder closes it", () -> closing() instanceof ActOutcome.Done<String>);
      var closedAt = tables.query("SELECT closed_at FROM billing");
      Entity before = get(BILLING);

      let(BillingMain.WRITE);
      let(BillingMain.END);
      other.cont();
      other.awaitOutput((BillingMain.WROTE + "Failure")::equals);
      other.awaitOutput((BillingMain.OUTCOME + "ClaimLost")::equals);

      assertThat(tables.query("SELECT closed_at FROM billing")).isEqualTo(closedAt);
      assertThat(get(BILLING)).isEqualTo(before);
    }
    assertClosedOnce();
  }

  private ActOutcome<String> closing() {
    try {
      return billing.close(BILLING.id());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
