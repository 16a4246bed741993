package dev.hapax.console.web;

/** Answers GET on an address. It changes nothing. */
@FunctionalInterface
public interface ConsolePage {
  /** Shows the page; an error of a call is shown by the caller of this method. */
  Reply show(Visit visit);
}
