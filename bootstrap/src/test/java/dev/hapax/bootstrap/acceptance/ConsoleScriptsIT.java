package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each text that a caller can set tries to run as a script of the console. */
@Tag("long")
class ConsoleScriptsIT {
  /** They set {@code window.hapax}, if a page takes a part of them for more than text. */
  private static final List<String> SCRIPTS =
      List.of(
          "\"'><script>hapax=1</script><img src=x onerror=hapax=1>",
          "</code></pre></textarea><svg onload=hapax=1>${hapax=1}{{hapax=1}}",
          "\" onmouseover=\"hapax=1\" href=\"javascript:hapax=1//&lt;b&gt;");

  /** Runs differ in their status, and each status has a list. */
  private static final int ALIKE = 2;

  /** Keys and tokens, which no read returns, and records that have no page. */
  private static final Pattern ON_NO_PAGE =
      Pattern.compile("(order-|order/|request-|invoice-|an answer).*");

  private static final String UNSAFE =
      "window.hapax"
          + " || Array.from(document.querySelectorAll('*')).some(element =>"
          + " Array.from(element.attributes).some(each => each.name.startsWith('on')"
          + " || each.value.startsWith('javascript:')))"
          + " || document.scripts.length !== 1 || document.querySelector('img')";

  /** Also of inputs, which have no text. */
  private static final String TEXT =
      "document.title + document.body.textContent"
          + " + Array.from(document.querySelectorAll('input, textarea'), each => each.value)";

  private static Chromium browser;
  private static Deployment deployment;

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    deployment = Deployment.configured("--console-listen=127.0.0.1:0");
  }

  @AfterAll
  static void stop() {
    if (deployment != null) {
      assertThat(deployment.complaints()).isEmpty();
      deployment.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  /** What was written, to be found on a page. */
  private final Set<String> written = new TreeSet<>();

  private String spelled(String text) {
    var spelled = text + SCRIPTS.get(Math.floorMod(text.hashCode(), SCRIPTS.size()));
    written.add(spelled);
    return spelled;
  }

  @Test
  @DisplayName(
      "given scripts in each text of callers, when a visitor opens each page, then they are shown"
          + " as text and do not run [W2]")
  void shown() {
    try (var data = ConsoleData.write(deployment.target(), this::spelled)) {
      var console = ConsoleDeployment.console(deployment.server());
      var visitor = new ConsoleVisitor(browser, console, data.workspace());
      var missing = new TreeSet<>(written);
      missing.removeIf(each -> ON_NO_PAGE.matcher(each).matches());
      var problems = new ArrayList<String>();
      visitor.walk(
          ALIKE,
          page -> {
            if (browser.holds(UNSAFE)) {
              problems.add("unsafe: " + page);
            }
            problems.addAll(browser.errors());
            var text = (String) browser.value(TEXT);
            missing.removeIf(each -> text.contains(each) || text.contains(escaped(each)));
          });
      assertThat(problems).isEmpty();
      assertThat(missing).isEmpty();
    }
  }

  /** As JSON has it. */
  private static String escaped(String text) {
    return text.replace("\"", "\\\"");
  }
}
