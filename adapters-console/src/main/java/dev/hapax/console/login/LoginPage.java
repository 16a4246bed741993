package dev.hapax.console.login;

import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;

/** Takes the credentials of an operator. */
public final class LoginPage implements ConsolePage {
  private static final String HOME = "/";

  /** An address of the console; other characters could not stand in the header of an answer. */
  private static final String PAGE = "/w/[\\x21-\\x7e&&[^\\\\]]*";

  @Override
  public Reply show(Visit visit) {
    var next = next(visit.query());
    if (!visit.access().isNone()) {
      return new Reply.SeeOther(next);
    }
    return Reply.page(
        Section.OVERVIEW,
        "Log in",
        "login/login.jte",
        new LoginView(next, visit.query().optional("refused").isPresent()));
  }

  /** Begins a session. */
  public Reply logIn(Visit visit, Fields form) {
    return new Reply.LoggedIn(form.text("credential"), next(form));
  }

  /** Ends the session. */
  public Reply logOut(Visit visit, Fields form) {
    return new Reply.LoggedOut();
  }

  /** Only pages of the console: another address could be that of a forged login. */
  private static String next(Fields fields) {
    var next = fields.text("next");
    return next.matches(PAGE) ? next : HOME;
  }
}
