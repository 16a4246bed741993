package dev.hapax.console.web;

import dev.hapax.console.view.Section;

/** The answer of a page or an action. */
public sealed interface Reply {
  /**
   * A page.
   *
   * @param template the name of the template, such as {@code run/list.jte}
   * @param view its parameter {@code view}
   */
  record Html(int status, Section section, String title, String template, Object view)
      implements Reply {}

  /** Sends the browser to another address of the console, such as after an action. */
  record SeeOther(String path) implements Reply {}

  /** Begins a session with these credentials, and sends the browser on. */
  record LoggedIn(String credential, String path) implements Reply {}

  /** Ends the session. */
  record LoggedOut() implements Reply {}

  /** A page that says that the address leads to nothing. */
  static Html missing(String sentence) {
    return new Html(
        404, Section.OVERVIEW, "Not found", "error.jte", new ErrorView("Not found", sentence));
  }

  /** A page of a template. */
  static Reply page(Section section, String title, String template, Object view) {
    return new Html(200, section, title, template, view);
  }
}
