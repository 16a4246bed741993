package dev.hapax.domain.run;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.definition.DefinitionId;
import java.util.List;
import java.util.Optional;

/** The outcome of {@link StartRun}. */
public sealed interface StartOutcome {
  record Created(Run run) implements StartOutcome {}

  /**
   * The run was created and took the idempotency key from a run that had failed or was cancelled.
   *
   * @param from that run, as it is now
   */
  record Restarted(Run run, Run from) implements StartOutcome {}

  /** The idempotency key belongs to this run; nothing was started. */
  record Existing(RunId run) implements StartOutcome {}

  /**
   * The idempotency key belongs to this run, whose request was different; nothing was started.
   *
   * @param request fingerprint of the request that started the run
   */
  record KeyReused(RunId run, Fingerprint request) implements StartOutcome {}

  /** The token has an owner; nothing was started, and the key stays unused. */
  record Rejected(Run owner) implements StartOutcome {}

  /** The token has an owner, which answers the request. */
  record UsedExisting(Run owner) implements StartOutcome {}

  /** The token has an owner, which received the signal and answers the request. */
  record Signalled(Run owner, SignalDisposition disposition) implements StartOutcome {}

  /** The owner of the token accepts no more signals; nothing was started. */
  record SignalRefused(Run owner, SignalOutcome.Full full) implements StartOutcome {}

  /**
   * The run was created and took a token from another run.
   *
   * @param from the former owners, and last the run that lost the idempotency key, as they are now;
   *     at least one
   */
  record Superseded(Run run, List<Run> from) implements StartOutcome {
    public Superseded {
      from = List.copyOf(from);
    }
  }

  /**
   * The run was created, and waits for its turn in the lines of its tokens, or of its definition's
   * limits.
   *
   * @param ahead how many runs wait before it in its longest line, at most {@link #MOST_AHEAD}
   * @param instead the runs that waited before and are cancelled now, and last the run that lost
   *     the idempotency key
   */
  record Queued(Run run, int ahead, List<Run> instead) implements StartOutcome {
    public static final int MOST_AHEAD = 100;

    public Queued {
      instead = List.copyOf(instead);
    }
  }

  /**
   * Nothing was started: the definition is not the latest version.
   *
   * @param latest the latest version; empty = no version of this name exists
   */
  record DefinitionOutdated(Optional<DefinitionId> latest) implements StartOutcome {}

  /**
   * The run was created without a token of another run.
   *
   * @param restarted the run that lost the idempotency key to it
   */
  static StartOutcome created(Run run, Optional<Run> restarted) {
    return restarted
        .<StartOutcome>map(from -> new Restarted(run, from))
        .orElseGet(() -> new Created(run));
  }

  /** The outcome of a start whose run then has to wait at a limit of its definition. */
  static StartOutcome queued(StartOutcome created, Run waiting, int ahead) {
    return switch (created) {
      case Created _ -> new Queued(waiting, Math.min(ahead, Queued.MOST_AHEAD), List.of());
      case Restarted(_, var from) ->
          new Queued(waiting, Math.min(ahead, Queued.MOST_AHEAD), List.of(from));
      case Existing _,
          KeyReused _,
          Rejected _,
          UsedExisting _,
          Signalled _,
          SignalRefused _,
          Superseded _,
          Queued _,
          DefinitionOutdated _ ->
          created;
    };
  }

  /**
   * What the signal of a start did to the run that the start created: no step waits yet, so the
   * inbox keeps it. Empty = the start had no signal.
   */
  static Optional<SignalDisposition> signalTo(Run created) {
    return created.inbox().unconsumed() > 0
        ? Optional.of(SignalDisposition.BUFFERED)
        : Optional.empty();
  }
}
