package dev.hapax.application.hook;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalOutcome;
import java.util.List;
import java.util.Optional;

/** The result of a request to start a run. */
public sealed interface RunStartResult {
  /** The run that answers the request; empty = none does. */
  default Optional<Run> answer() {
    return switch (this) {
      case Created(var run) -> Optional.of(run);
      case Superseded(var run, _) -> Optional.of(run);
      case Queued(var run, _, _) -> Optional.of(run);
      case Restarted(var run, _) -> Optional.of(run);
      case Existing(var run) -> Optional.of(run);
      case UsedExisting(var owner) -> Optional.of(owner);
      case Signalled(var owner, _) -> Optional.of(owner);
      case Rejected _,
          SignalRefused _,
          KeyReused _,
          TokensRefused _,
          RunNotFound _,
          DefinitionNotFound _ ->
          Optional.empty();
    };
  }

  record Created(Run run) implements RunStartResult {}

  /**
   * The run was created and acquired tokens from their owners.
   *
   * @param superseded the former owners, and last the run that lost the idempotency key; all of
   *     them have ended; at least one
   */
  record Superseded(Run run, List<Run> superseded) implements RunStartResult {
    public Superseded {
      superseded = List.copyOf(superseded);
    }
  }

  /**
   * The run was created and waits for its tokens.
   *
   * @param ahead how many runs wait before it
   * @param superseded the runs that waited before and have ended, and last the run that lost the
   *     idempotency key
   */
  record Queued(Run run, int ahead, List<Run> superseded) implements RunStartResult {
    public Queued {
      superseded = List.copyOf(superseded);
    }
  }

  /**
   * The run was created and took the idempotency key from a run that had failed or was cancelled.
   */
  record Restarted(Run run, Run from) implements RunStartResult {}

  /** The idempotency key belongs to this run; nothing was started. */
  record Existing(Run run) implements RunStartResult {}

  /** A run owns a requested token; nothing was started. */
  record Rejected(Run owner) implements RunStartResult {}

  /** A run owns a requested token and stands for the request. */
  record UsedExisting(Run owner) implements RunStartResult {}

  /** A run owns a requested token, received the signal and stands for the request. */
  record Signalled(Run owner, SignalDisposition disposition) implements RunStartResult {}

  /** The owner of a requested token accepts no more signals; nothing was started. */
  record SignalRefused(SignalOutcome.Full full) implements RunStartResult {}

  /**
   * The idempotency key belongs to a run that was started with other values; nothing was started.
   *
   * @param started fingerprint of the request that started the run
   * @param sent fingerprint of this request
   * @param found the run, unless it is past its retention
   */
  record KeyReused(RunId run, Fingerprint started, Fingerprint sent, Optional<Run> found)
      implements RunStartResult {}

  /** The definition has limits, so its runs start without tokens; nothing was started. */
  record TokensRefused() implements RunStartResult {}

  /** The idempotency key belongs to a run that is past its retention. */
  record RunNotFound() implements RunStartResult {}

  /**
   * The definition does not exist.
   *
   * @param version the requested one; empty = no version exists
   */
  record DefinitionNotFound(DefinitionName name, Optional<String> version)
      implements RunStartResult {}
}
