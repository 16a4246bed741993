package dev.hapax.console.web;

/** Answers POST on an address: it does what a form asks for. */
@FunctionalInterface
public interface ConsoleAction {
  /** Performs the action; an error of a call is shown by the caller of this method. */
  Reply perform(Visit visit, Fields form);
}
