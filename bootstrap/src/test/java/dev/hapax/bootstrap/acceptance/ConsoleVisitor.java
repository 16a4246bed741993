package dev.hapax.bootstrap.acceptance;

import dev.hapax.domain.security.ApiKey;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** A visitor of the pages of one workspace. */
record ConsoleVisitor(Chromium browser, URI console, String workspace) {
  /** A segment of an address that may be the name of a page; others are ids. */
  private static final Pattern WORD = Pattern.compile("[a-z-]{1,20}");

  /** A value of a query that is no word. */
  private static final Pattern ID = Pattern.compile("=(?![A-Za-z_]{1,20}(&|$))[^&]*");

  /** The segments up to the section: /w/WORKSPACE/SECTION. */
  private static final int SECTION = 4;

  /** Logs in with a key, in place of the visitor before. */
  void logIn(ApiKey key) {
    browser.open(console);
    browser.forgetCookies();
    browser.open(console);
    browser.submit("#credential", key.text());
    Condition.await("the visitor is in", () -> browser.address().getPath().startsWith("/w/"));
    browser.errors();
  }

  URI page(String path) {
    return console.resolve("/w/%s/%s".formatted(workspace, path));
  }

  void open(String path) {
    browser.open(page(path));
  }

  /**
   * Opens the overview and, by links, all other pages.
   *
   * @param alike how many links to pages of one kind, such as those of runs, are followed from
   *     pages of one kind
   */
  void walk(int alike, Consumer<URI> visit) {
    var seen = new HashSet<URI>();
    var followed = new ArrayList<List<String>>();
    var open = new ArrayDeque<URI>();
    open.add(page(""));
    seen.add(page(""));
    while (!open.isEmpty()) {
      var page = open.remove();
      browser.open(page);
      for (var link : links()) {
        var kinds = List.of(kind(page), kind(link));
        if (Collections.frequency(followed, kinds) < alike && seen.add(link)) {
          followed.add(kinds);
          open.add(link);
        }
      }
      visit.accept(page);
    }
  }

  /** The pages that this one links to. */
  @SuppressWarnings("unchecked") // the script returns texts
  List<URI> links() {
    var links =
        (List<String>)
            browser.value(
                """
                Array.from(document.links, each => each.href.replace(/#.*/, ''))
                  .filter(each => each.startsWith(location.origin + '/w/%s/'))"""
                    .formatted(workspace));
    return links.stream().map(URI::create).distinct().toList();
  }

  /** The address without what differs among pages of one kind. */
  private static String kind(URI page) {
    var segments = page.getRawPath().split("/", -1);
    for (var i = SECTION; i < segments.length; i++) {
      segments[i] = WORD.matcher(segments[i]).matches() ? segments[i] : "*";
    }
    var query = page.getRawQuery() == null ? "" : page.getRawQuery();
    return String.join("/", segments) + "?" + ID.matcher(query).replaceAll("=*");
  }
}
