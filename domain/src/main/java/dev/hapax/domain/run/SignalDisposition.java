package dev.hapax.domain.run;

/** The effect of an accepted signal. */
public enum SignalDisposition {
  /** A step waited for it and continues. */
  DELIVERED,
  /** The inbox keeps it for a later step. */
  BUFFERED,
  /** A signal with this id was received before; this one was discarded. */
  DUPLICATE
}
