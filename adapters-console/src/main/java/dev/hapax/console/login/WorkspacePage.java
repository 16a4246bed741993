package dev.hapax.console.login;

import dev.hapax.console.view.Href;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;

/** Leads to the overview of the workspace that a form names, or to that of the visitor. */
public final class WorkspacePage implements ConsolePage {
  @Override
  public Reply show(Visit visit) {
    return new Reply.SeeOther(
        Href.of(visit.query().optional("workspace").orElse(visit.workspace()), ""));
  }
}
