package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Role;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Walks through all pages that the overview leads to, so a new page is tested by its link. */
class ConsoleWalkIT {
  private static final int PHONE_WIDTH = 400;

  /** More would be tested twice. */
  private static final int ALIKE = 1;

  /** The pages with one path, apart from ids, of which each detail is tested. */
  private static final int THOROUGH = 3;

  /** What the last segment of an address does, for roles to be compared with. */
  private static final Map<String, Permission> VERBS =
      Map.ofEntries(
          Map.entry("cancel", Permission.OPERATE),
          Map.entry("pause", Permission.OPERATE),
          Map.entry("resume", Permission.OPERATE),
          Map.entry("retry", Permission.OPERATE),
          Map.entry("complete", Permission.OPERATE),
          Map.entry("reject", Permission.OPERATE),
          Map.entry("release", Permission.OPERATE),
          Map.entry("release-as-done", Permission.OPERATE),
          Map.entry("sweep", Permission.OPERATE),
          Map.entry("signal", Permission.CALL));

  /** Those that the data offers to an administrator. */
  private static final Set<String> OFFERED = Set.of("cancel", "pause", "resume", "retry", "signal");

  private static Chromium browser;
  private static ConsoleDeployment deployment;
  private static ConsoleData data;

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    deployment = new ConsoleDeployment();
    data = ConsoleData.write(deployment.target(), UnaryOperator.identity());
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

  private static ConsoleVisitor visitor(URI console) {
    return new ConsoleVisitor(browser, console, data.workspace());
  }

  /** Pages with what is wrong with them. */
  private static final class Findings {
    private final Map<URI, List<String>> byPage = new TreeMap<>();
    private int pages;

    void look(URI page, boolean thoroughly) {
      pages++;
      add(page, browser.errors());
      if (!thoroughly) {
        return;
      }
      for (var dark : List.of(false, true)) {
        browser.showDark(dark);
        add(page, browser.barriers().stream().map(each -> (dark ? "dark: " : "") + each).toList());
      }
      browser.showDark(false);
      browser.resize(PHONE_WIDTH, Chromium.HEIGHT);
      if (browser.holds("document.documentElement.scrollWidth > innerWidth")) {
        add(page, List.of("it is wider than a window of %d pixels".formatted(PHONE_WIDTH)));
      }
      browser.resize(Chromium.WIDTH, Chromium.HEIGHT);
    }

    private void add(URI page, List<String> found) {
      if (!found.isEmpty()) {
        byPage.computeIfAbsent(page, _ -> new ArrayList<>()).addAll(found);
      }
    }

    void assertNone() {
      assertThat(byPage).isEmpty();
      assertThat(pages).isGreaterThan(3);
    }
  }

  @Test
  @DisplayName(
      "given no authentication, when a visitor opens each page, then it has no error, no barrier"
          + " in light and dark, and fits a phone [W1, W4]")
  void withoutAuthentication() {
    var findings = new Findings();
    var kinds = new ArrayList<String>();
    visitor(deployment.console())
        .walk(
            ALIKE,
            page -> {
              kinds.add(page.getPath().replaceAll("_[0-9a-z]+", ""));
              findings.look(page, Collections.frequency(kinds, kinds.getLast()) <= THOROUGH);
            });
    findings.assertNone();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEBHOOK")
  @DisplayName(
      "given a role that may read, when it opens each page, then it has no error, and the actions"
          + " of its permissions only [W1, W3]")
  void role(Role role) {
    var visitor = visitor(deployment.authenticatedConsole());
    visitor.logIn(deployment.key(role));
    var findings = new Findings();
    Set<String> verbs = new TreeSet<>();
    visitor.walk(
        ALIKE,
        page -> {
          findings.look(page, false);
          verbs.addAll(verbs(page));
        });
    findings.assertNone();
    assertThat(permitted(role, VERBS.keySet())).containsAll(verbs);
    assertThat(verbs).containsAll(permitted(role, OFFERED));
  }

  private static Set<String> permitted(Role role, Set<String> verbs) {
    return verbs.stream()
        .filter(verb -> role.permits(Objects.requireNonNull(VERBS.get(verb))))
        .collect(Collectors.toSet());
  }

  /** The action of a page with a form that changes something, and not one that only finds. */
  private static Set<String> verbs(URI page) {
    return browser.all("main form[method=post]:not(.filter)").isEmpty()
        ? Set.of()
        : Set.of(page.getPath().replaceFirst(".*/", ""));
  }
}
