package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** {@code -Dscreenshots=write} writes the pictures of the documents anew. */
class ConsoleUseIT {
  private static final Path IMAGES = Path.of("..", "docs", "images");
  private static final int MAX_IMAGE_BYTES = 170_000;

  /** Stops that a keyboard needs at most to what it looks for. */
  private static final int MAX_STOPS = 100;

  private static final int NARROW = 360;

  /** The height of two lines of fields and buttons. */
  private static final long TWO_LINES = 100;

  private static final String FOCUSED = "document.activeElement";
  private static final String SHOWS_FOCUS =
      """
      document.activeElement === document.body || (element => {
        const style = getComputedStyle(element);
        return element.matches(':focus-visible') && style.outlineStyle !== 'none'
          && parseFloat(style.outlineWidth) >= 1;
      })(document.activeElement)""";

  private static final String REFRESHES =
      "performance.getEntriesByType('resource').filter(each => each.initiatorType === 'fetch')"
          + ".length";

  private static Chromium browser;
  private static Deployment deployment;
  private static ConsoleData data;
  private static ConsoleVisitor visitor;

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    deployment = Deployment.configured("--console-listen=127.0.0.1:0");
    data = ConsoleData.write(deployment.target(), UnaryOperator.identity());
    visitor =
        new ConsoleVisitor(
            browser, ConsoleDeployment.console(deployment.server()), data.workspace());
  }

  @AfterAll
  static void stop() {
    if (data != null) {
      data.close();
      assertThat(deployment.complaints()).isEmpty();
      deployment.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static String failedRun() {
    return data.runs().list().stream()
        .filter(run -> run.getStatus() == RunStatus.RUN_STATUS_FAILED)
        .findFirst()
        .orElseThrow()
        .getId();
  }

  private static RunStatus status(String run) {
    return data.runs().get(run).getStatus();
  }

  @Test
  @DisplayName(
      "given a failed run, when a visitor without a mouse retries it from the overview, then each"
          + " stop shows its focus, and the run goes on [W4]")
  void keyboard() {
    var run = failedRun();
    visitor.open("");
    tabTo("#stuck a[href*='status=FAILED']");
    browser.press(Keys.ENTER);
    awaitPage("/runs");
    tabTo("a[href$='/runs/%s']".formatted(run));
    browser.press(Keys.ENTER);
    awaitPage("/runs/" + run);
    tabTo("#verbs a[href$='/retry']");
    browser.press(Keys.ENTER);
    awaitPage("/retry");
    tabTo("main form button");
    browser.press(Keys.ENTER);
    Condition.await("the run goes on", () -> status(run) != RunStatus.RUN_STATUS_FAILED);
    awaitPage("/runs/" + run);
  }

  @Test
  @DisplayName(
      "given a window of 360 pixels and no mouse, when a visitor goes from the overview to the"
          + " servers, the workspaces and back, then each page fits, and its header is short [W4]")
  void narrow() {
    browser.resize(NARROW, Chromium.HEIGHT);
    try {
      visitor.open("");
      assertFits();
      for (var section : List.of("servers", "workspaces")) {
        tabTo("nav a[href$='/%s']".formatted(section));
        browser.press(Keys.ENTER);
        awaitPage("/" + section);
        assertFits();
      }
      tabTo("#workspaces a[href$='/w/%s/']".formatted(data.workspace()));
      browser.press(Keys.ENTER);
      awaitPage("/w/%s/".formatted(data.workspace()));
    } finally {
      browser.resize(Chromium.WIDTH, Chromium.HEIGHT);
    }
  }

  private static void assertFits() {
    assertThat((Long) browser.value("document.documentElement.scrollWidth"))
        .isLessThanOrEqualTo(NARROW);
    assertThat((Long) browser.value("document.querySelector('header.top').offsetHeight"))
        .isLessThanOrEqualTo(TWO_LINES);
  }

  private static void awaitPage(String end) {
    Condition.await(
        "the page " + end,
        () ->
            browser.address().getPath().endsWith(end)
                && browser.holds("document.readyState === 'complete'"));
  }

  private static void tabTo(String selector) {
    for (var stop = 0; stop < MAX_STOPS; stop++) {
      browser.press(Keys.TAB);
      assertThat(browser.holds(SHOWS_FOCUS))
          .as("%s shows its focus", browser.value(FOCUSED + ".outerHTML"))
          .isTrue();
      if (browser.holds("%s.matches(\"%s\")".formatted(FOCUSED, selector))) {
        return;
      }
    }
    throw new AssertionError("no stop at " + selector);
  }

  @Test
  @DisplayName(
      "given an open page of a run, when another caller cancels the run, then the page shows it"
          + " without being loaded again [W5]")
  void live() {
    var run = data.start(100);
    visitor.open("runs/" + run);
    browser.run("window.loadedOnce = true");
    data.cancel(run);
    Condition.await(
        "the page shows the end", () -> browser.text("#why .status").contains("CANCELLED"));
    assertThat(browser.holds("window.loadedOnce")).isTrue();
    assertThat(browser.all("#verbs a")).isEmpty();
    assertThat(browser.errors()).isEmpty();
  }

  @Test
  @DisplayName(
      "given an open overview and no change of the data, when a server is killed, then the page says"
          + " so within 30 s without being loaded again [W5]")
  void alarm() {
    // another server, whose data does not change
    try (var quiet = Deployment.configured("--console-listen=127.0.0.1:0")) {
      new ConsoleVisitor(browser, ConsoleDeployment.console(quiet.server()), "quiet").open("");
      browser.run("window.loadedOnce = true");
      quiet
          .database()
          .execute(
              """
              INSERT INTO hapax.node (id, version, features, seen_at)
              VALUES (gen_random_uuid(), '0.9.0', 3, now() - interval '2 min')
              """);
      Condition.await(
          "the alarm",
          Duration.ofMinutes(1),
          () -> browser.text("#alarms").contains("ended without a word"));
      assertThat(browser.holds("window.loadedOnce")).isTrue();
    }
  }

  @Test
  @DisplayName(
      "given two windows with a page, when one is minimized, then only the other one sends"
          + " requests [W5]")
  void hidden() {
    visitor.open("");
    var behind = browser.window();
    browser.minimize();
    var front = browser.openWindow();
    try {
      visitor.open("");
      // one may have been under way
      awaitRefreshes(1);
      browser.switchTo(behind);
      var before = browser.value(REFRESHES);
      browser.switchTo(front);
      awaitRefreshes(3);
      browser.switchTo(behind);
      assertThat(browser.value(REFRESHES)).isEqualTo(before);
      assertThat(browser.value("document.visibilityState")).isEqualTo("hidden");
    } finally {
      browser.switchTo(front);
      browser.closeWindow();
      browser.switchTo(behind);
      browser.restore();
    }
    awaitRefreshes(1);
  }

  private static void awaitRefreshes(int count) {
    Condition.await(
        count + " refreshes",
        () -> browser.holds(String.format(Locale.ROOT, "%s >= %d", REFRESHES, count)));
  }

  @Test
  @DisplayName(
      "given a browser without scripts, when a visitor filters the runs, opens one and cancels it,"
          + " then it is cancelled [W4]")
  void withoutScripts() {
    var run = data.start(200);
    browser.allowScripts(false);
    try {
      visitor.open("runs");
      assertThat(browser.all("button.copy")).isEmpty();
      browser.submit("input[name=definition]", data.checkout());
      browser.follow("a[href$='/runs/%s']".formatted(run));
      browser.follow("#verbs a[href$='/cancel']");
      browser.type("input[name=reason]", "a duplicate");
      browser.follow("main form button");
      assertThat(browser.text("#why .status")).contains("CANCELLED");
    } finally {
      browser.allowScripts(true);
    }
    assertThat(status(run)).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
  }

  @Test
  @DisplayName("the pictures of the documents are made of these pages, and are small")
  void pictures() throws IOException {
    addServers();
    try (var other = RunCaller.to(deployment.target()).caller()) {
      new RunCaller(other).define("import", RunCaller.task("fetch"));
      takePictures();
    } finally {
      // not the server of this test, whose version depends on how it was built
      deployment.database().execute("DELETE FROM hapax.node WHERE version IN ('1.0.0', '0.9.0')");
    }
  }

  /** One with a certificate that ends, and one that was killed. */
  private static void addServers() {
    deployment
        .database()
        .execute(
            """
            INSERT INTO hapax.node (id, version, features, started_at, seen_at, facts) VALUES
              (gen_random_uuid(), '1.0.0', 3, now() - interval '3 h', now(), format(
                '{"committers": 2, "clock_offset": "PT0.004S", "api_keys": 12, "api_keys_read_at": "%1$s",
                  "certificates": {"server": "%2$s", "client-ca": "%3$s"}}',
                to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                to_char((now() + interval '5 d') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                to_char((now() + interval '400 d') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))),
              (gen_random_uuid(), '0.9.0', 3, now() - interval '5 h', now() - interval '40 min', NULL)
            """);
  }

  private static void takePictures() throws IOException {
    visitor.open("");
    picture("overview", false);
    visitor.open("runs");
    picture("runs", false);
    visitor.open("runs/" + failedRun());
    picture("run", false);
    picture("run-dark", true);
    visitor.open("servers");
    picture("servers", false);
    visitor.open("workspaces");
    picture("workspaces", false);
    visitor.open("limits");
    picture("limits", false);
  }

  private static void picture(String name, boolean dark) throws IOException {
    browser.showDark(dark);
    var picture = browser.screenshot();
    browser.showDark(false);
    assertThat(picture.length).isLessThan(MAX_IMAGE_BYTES);
    if ("write".equals(System.getProperty("screenshots"))) {
      Files.write(IMAGES.resolve("console-%s.png".formatted(name)), picture);
    }
  }
}
