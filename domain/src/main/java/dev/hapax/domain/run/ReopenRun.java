package dev.hapax.domain.run;

import dev.hapax.domain.ledger.Command;
import java.util.OptionalLong;

/** A command of an operator that lets a failed run continue. */
public sealed interface ReopenRun extends Command<ControlOutcome> permits RetryRun, SettleStep {
  RunId run();

  /** The caller's nonce: the run's history detects a repeated request by it. */
  String requestId();

  OptionalLong expectedVersion();
}
