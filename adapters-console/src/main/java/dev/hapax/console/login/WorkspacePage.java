package dev.hapax.console.login;

import dev.hapax.console.view.Address;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;

/** Leads to the overview of the workspace that a form names, or to that of the visitor. */
public final class WorkspacePage implements ConsolePage {
  @Override
  public Reply show(Visit visit) {
    return new Reply.SeeOther(
        Address.of(visit.query().optional("workspace").orElse(visit.workspace()), "").href());
  }
}
