package dev.hapax.postgres.restore;

import java.util.Locale;

/** The purpose of a restored database. */
public enum RestoreKind {
  /** It serves the callers and workers of the database that was lost. */
  REPLACEMENT,
  /** It is used beside the original, whose callers and workers it must not serve. */
  COPY,
  /** It is the original, and nothing was lost: moved with all servers stopped, or by pg_upgrade. */
  MOVED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
