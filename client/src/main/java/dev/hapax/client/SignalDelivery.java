package dev.hapax.client;

/** What became of a signal. */
public enum SignalDelivery {
  /** A step of the run waited for it and goes on. */
  DELIVERED,
  /** It is in the run's inbox, for a step to come. */
  BUFFERED,
  /** The run had a signal with this id before; the first one stands. */
  DUPLICATE
}
