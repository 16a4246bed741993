package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Role;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Walks through all pages that the overview leads to, so a new page is tested by its link. */
@Tag("nightly")
class ConsoleWalkIT {
  private static final int PHONE_WIDTH = 360;

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
          Map.entry("settle", Permission.OPERATE),
          Map.entry("complete", Permission.OPERATE),
          Map.entry("reject", Permission.OPERATE),
          Map.entry("release", Permission.OPERATE),
          Map.entry("release-as-done", Permission.OPERATE),
          Map.entry("sweep", Permission.OPERATE),
          Map.entry("set", Permission.OPERATE),
          Map.entry("remove", Permission.OPERATE),
          Map.entry("signal", Permission.CALL));

  /** Those that the data offers to an administrator. */
  private static final Set<String> OFFERED =
      Set.of("cancel", "pause", "resume", "retry", "settle", "signal", "set", "remove");

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
    /** The kinds of pages in which some visitor was looking for barriers. */
    private static final Set<String> SEEN = new HashSet<>();

    private final Map<URI, List<String>> byPage = new TreeMap<>();
    private int pages;

    void look(URI page, boolean thoroughly) {
      pages++;
      add(page, browser.errors());
      if (!thoroughly) {
        return;
      }
      lookForBarriers(page);
      browser.showDark(true);
      add(page, browser.barriers().stream().map(each -> "dark: " + each).toList());
      browser.showDark(false);
      browser.resize(PHONE_WIDTH, Chromium.HEIGHT);
      if (browser.holds("document.documentElement.scrollWidth > innerWidth")) {
        add(
            page,
            List.of(
                String.format(Locale.ROOT, "it is wider than a window of %d pixels", PHONE_WIDTH)));
      }
      browser.resize(Chromium.WIDTH, Chromium.HEIGHT);
    }

    private void lookForBarriers(URI page) {
      add(page, browser.barriers());
      SEEN.add(shape(page));
    }

    /** Looks for barriers in what no visitor was shown so far. */
    void lookAtNews(URI page) {
      if (!SEEN.contains(shape(page))) {
        lookForBarriers(page);
      }
    }

    /** Opens a page that the server refuses; the browser logs its status. */
    void lookAtRefusal(URI page) {
      pages++;
      add(page, browser.errors().stream().filter(each -> !each.contains(" 403 ")).toList());
      add(page, browser.barriers());
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
          + " of its permissions only, and no barrier in what it sees first [W1, W3, W4]")
  void role(Role role) {
    var visitor = visitor(deployment.authenticatedConsole());
    visitor.logIn(deployment.key(role));
    var findings = new Findings();
    Set<String> verbs = new TreeSet<>();
    visitor.walk(
        ALIKE,
        page -> {
          findings.look(page, false);
          findings.lookAtNews(page);
          verbs.addAll(verbs(page));
        });
    findings.assertNone();
    assertThat(permitted(role, VERBS.keySet())).containsAll(verbs);
    assertThat(verbs).containsAll(permitted(role, OFFERED));
  }

  /** The kind of a page, and what it offers to its visitor. */
  private static String shape(URI page) {
    return page.getPath().replaceAll("_[0-9a-z]+", "")
        + browser.value(
            "Array.from(document.querySelectorAll('main button, #verbs a'), each => each.innerText)"
                + ".join()");
  }

  @Test
  @DisplayName(
      "given the role of a webhook, when it opens a page, then the page says what it may not do,"
          + " has no barrier, and lets it log out [W1, W3, W4]")
  void webhook() {
    var visitor = visitor(deployment.authenticatedConsole());
    visitor.logIn(deployment.key(Role.WEBHOOK));
    var findings = new Findings();
    visitor.open("");
    var pages = visitor.links();
    pages.forEach(
        page -> {
          browser.open(page);
          findings.lookAtRefusal(page);
          assertThat(browser.text("main"))
              .as("%s", page)
              .contains("it needs the permission observe");
          assertThat(browser.all("form[action='/logout']")).as("%s", page).hasSize(1);
        });
    findings.assertNone();
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
