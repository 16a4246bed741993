package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.PartOptions;
import dev.hapax.client.Task;
import dev.hapax.client.UnknownEffect;
import dev.hapax.client.Value;
import dev.hapax.client.Worker;
import dev.hapax.domain.security.Role;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunStatus;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An operator settles a payment whose effect is in doubt, in a browser. */
@Tag("long")
class ConsoleSettleIT {
  private static final String TOP_BUTTON = "#verbs a[href*='/settle']";
  private static final String REASON = "input[name=reason]";
  private static final String OUTPUT = "textarea[name=output]";
  private static final String COMPLETE = "button[value=complete]";
  private static final String PROBLEM = "main .problem[role=alert]";

  private static Chromium browser;
  private static ConsoleDeployment deployment;
  private static ConsoleVisitor visitor;
  private static RunCaller runs;
  private static Worker worker;

  /** The keys that the bank got. */
  private static final List<String> PAID = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    deployment = new ConsoleDeployment();
    runs = RunCaller.to(deployment.target());
    new PartCaller(runs).define("order");
    visitor = new ConsoleVisitor(browser, deployment.authenticatedConsole(), runs.workspace());
    visitor.logIn(deployment.key(Role.OPERATOR));
    worker =
        Hapax.builder(Map.of())
            .channel(runs.caller().channel())
            .workspace(runs.workspace())
            .connect()
            .worker()
            .step(RunCaller.QUEUE, "order", PartCaller.STEP, ConsoleSettleIT::order)
            .start();
  }

  @AfterAll
  static void stop() {
    if (worker != null) {
      worker.close();
      runs.close();
      assertThat(deployment.complaints()).isEmpty();
      deployment.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static Value order(Task task) {
    var once = PartOptions.of(Codec.jsonText()).atMostOnce();
    var receipt = task.record("pay", once, ConsoleSettleIT::pay);
    return new Value.Json(
        task.record(
            "ship", Codec.jsonText(), _ -> "{\"shipped\":true,\"paid\":%s}".formatted(receipt)));
  }

  private static String pay(String key) {
    PAID.add(key);
    throw new UnknownEffect("TIMEOUT", "the bank did not answer");
  }

  /** A run that has failed, since its payment is in doubt. */
  private static Run doubtful() {
    PAID.clear();
    var run = runs.awaitEnd(runs.started("order"));
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(PAID).hasSize(1);
    return run;
  }

  private static void fill(String selector, String text) {
    browser.run("document.querySelector('%s').value = ''".formatted(selector));
    browser.type(selector, text);
  }

  private static String value(String selector) {
    return (String) browser.value("document.querySelector('%s').value".formatted(selector));
  }

  private static void assertCompleted(String run, String receipt, String reason) {
    Condition.await(
        "the page shows the end", () -> browser.text("#why .status").contains("COMPLETED"));
    assertThat(browser.address().getPath()).endsWith("/runs/" + run);
    assertThat(runs.get(run).getOutput())
        .isEqualTo(Caller.json("{\"shipped\":true,\"paid\":%s}".formatted(receipt)));
    assertThat(PAID).as("the body did not run again").hasSize(1);
    assertThat(runs.events(run))
        .filteredOn(RunEvent::hasStepSettled)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getPrincipal()).isEqualTo("api-key:the-operator");
              assertThat(event.getStepSettled().getReason()).isEqualTo(reason);
            });
    visitor.open("runs/%s?events=operators".formatted(run));
    browser.run("document.querySelector('#events details').open = true");
    assertThat(browser.text("#events"))
        .contains("step settled", "console (api-key:the-operator)", reason);
    assertThat(browser.errors()).isEmpty();
  }

  @Test
  @Tag("P7")
  @Tag("P8")
  @DisplayName(
      "given a payment in doubt, when an operator does what the page says, then the run completes"
          + " with the settled output, and the history has the reason and the operator [W6]")
  void settled() {
    var run = doubtful().getId();
    visitor.open("");
    browser.follow("a[href$='/runs/%s']".formatted(run));
    assertThat(browser.text("#why"))
        .contains(
            "It is unknown whether part \"pay\" of step \"main\" took effect.", "then settle it");
    assertThat(browser.text("#steps")).contains("IN DOUBT");

    browser.follow(TOP_BUTTON);
    assertThat(browser.text("h1")).isEqualTo("Did the effect of part pay of step main happen?");
    assertThat(browser.text("main"))
        .contains(run, "failed: UNKNOWN_EFFECT the bank did not answer", "held it last");
    assertThat(browser.text("main code.id")).isEqualTo(PAID.getFirst());
    assertThat(browser.barriers()).isEmpty();
    browser.type(REASON, "bank ticket 81");
    browser.type(OUTPUT, "{\"receipt\": 7}");
    browser.follow(COMPLETE);

    assertCompleted(run, "{\"receipt\": 7}", "bank ticket 81");
  }

  @Test
  @DisplayName(
      "given a blank reason or an output that is not JSON, when it is sent, then the form says so,"
          + " keeps what was typed, and nothing is stored [W6]")
  void refused() {
    var before = doubtful();
    var run = before.getId();
    visitor.open("runs/" + run);
    browser.follow(TOP_BUTTON);
    browser.type(OUTPUT, "{\"receipt\": 8}");
    browser.all(COMPLETE).getFirst().click();
    assertThat(
            browser.holds("document.querySelector('%s').validity.valueMissing".formatted(REASON)))
        .as("the browser itself refuses an empty reason")
        .isTrue();

    browser.type(REASON, "  ");
    browser.follow(COMPLETE);
    assertThat(browser.text(PROBLEM)).isEqualTo("Nothing was changed. Reason is required.");
    assertThat(value(OUTPUT)).isEqualTo("{\"receipt\": 8}");

    fill(REASON, "bank ticket 82");
    fill(OUTPUT, "{receipt: 8}");
    browser.follow(COMPLETE);
    assertThat(browser.text(PROBLEM))
        .isEqualTo("Nothing was changed. Output is not JSON at line 1, column 2.");
    assertThat(value(REASON)).isEqualTo("bank ticket 82");
    assertThat(value(OUTPUT)).isEqualTo("{receipt: 8}");
    assertThat(browser.barriers()).isEmpty();
    assertThat(runs.get(run)).isEqualTo(before);
    // the browser reports each answer with an error status
    assertThat(browser.errors()).allMatch(line -> line.contains("status of 400"));

    fill(OUTPUT, "{\"receipt\": 8}");
    browser.follow(COMPLETE);
    assertCompleted(run, "{\"receipt\": 8}", "bank ticket 82");
  }

  @Test
  @Tag("P7")
  @DisplayName(
      "given an operator who repeats a payment while another one decides, when the second one sends"
          + " the verdict, then it is refused, since it is not about the new attempt [W6]")
  void outdated() {
    var run = doubtful().getId();
    visitor.open("runs/" + run);
    browser.follow(TOP_BUTTON);
    var other =
        new PartCaller(runs).settlement(run, "pay").setRepeat(Empty.getDefaultInstance()).build();
    var _ = runs.runs().settleStep(other);
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(PAID).hasSize(2);

    browser.type(REASON, "no trace of it");
    browser.follow("button[value=repeat]");
    assertThat(browser.text(PROBLEM)).contains("the run has changed since you opened this page");
    assertThat(PAID).hasSize(2);

    browser.follow(COMPLETE);
    Condition.await(
        "the page shows the end", () -> browser.text("#why .status").contains("COMPLETED"));
    assertThat(PAID).hasSize(2);
    assertThat(browser.errors()).allMatch(line -> line.contains("status of 409"));
  }
}
