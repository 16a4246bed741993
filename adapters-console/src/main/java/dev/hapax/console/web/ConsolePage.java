package dev.hapax.console.web;

/** Answers GET on an address. It changes nothing. */
@FunctionalInterface
public interface ConsolePage {
  /** Shows the page; an error of a call is shown by the caller of this method. */
  Reply show(Visit visit);

  /** Learns that a visitor still has the page open, whose data have not changed. */
  default void unchanged(Visit visit) {}
}
