package dev.hapax.domain.run;

/** What became of a signal that a run has. */
public enum SignalDisposition {
  /** A step waited for it, and goes on. */
  DELIVERED,
  /** It is in the inbox, for a later step. */
  BUFFERED,
  /** A signal with this id came before; this one was not kept. */
  DUPLICATE
}
