package dev.hapax.client;

import dev.hapax.v1.Disposition;
import dev.hapax.v1.StartRunResponse;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;

/** What became of a start. Without a {@link StartOptions#hook} there is always a run. */
public sealed interface Started {

  /** As Hapax sent it. */
  StartRunResponse message();

  /**
   * The run that stands for the request.
   *
   * @throws HapaxException.HookConflict if the start was {@link Rejected}
   */
  default Run run() {
    return new Run(message().getRun());
  }

  /** The run that owns the token that decided, or owned it until it was superseded. */
  default Optional<Owner> owner() {
    if (!message().hasOwner()) {
      return Optional.empty();
    }
    StartRunResponse.Owner owner = message().getOwner();
    return Optional.of(
        Owner.of(owner.getRunId(), owner.getStatus(), Run.hasEnded(owner.getStatus())));
  }

  /**
   * The name of a Disposition, such as {@code USED_EXISTING}; its number if Hapax is newer than
   * this client.
   */
  default String disposition() {
    return message().getDisposition() == Disposition.UNRECOGNIZED
        ? String.valueOf(message().getDispositionValue())
        : message().getDisposition().name().replace("DISPOSITION_", "");
  }

  /** The run was created. It may have taken its tokens from others, such as the {@link #owner}. */
  record Created(StartRunResponse message) implements Started {}

  /** The run was created and waits for its tokens, by {@link HookRequest#queue}. */
  record Queued(StartRunResponse message) implements Started {
    /** How many runs wait before it in its longest line; at most 100. */
    public int runsAhead() {
      return message.getRunsAhead();
    }

    /** The runs that waited before, and are CANCELLED now. */
    public List<String> supersededRunIds() {
      return List.copyOf(message.getSupersededRunIdsList());
    }
  }

  /** The idempotency key leads to this run; nothing was changed. */
  record Existing(StartRunResponse message) implements Started {}

  /** The token has an owner, which stands for the request, by {@link HookRequest#useExisting}. */
  record Adopted(StartRunResponse message) implements Started {}

  /** As {@link Adopted}, and the owner has the signal, by {@link HookRequest#signalExisting}. */
  record Signalled(StartRunResponse message) implements Started {}

  /**
   * The token has an owner, or too many runs wait for it. Nothing was started, and the key can be
   * used again.
   */
  record Rejected(StartRunResponse message) implements Started {
    @Override
    public Run run() {
      throw new HapaxException.HookConflict(owner().orElseThrow());
    }
  }

  /** A later server may send other dispositions; its run then stands for the request. */
  static Started of(StartRunResponse message) {
    if (message.getDisposition() != Disposition.DISPOSITION_REJECTED && !message.hasRun()) {
      throw new HapaxException.UnknownAnswer(
          Status.UNIMPLEMENTED
              .withDescription(
                  "Hapax answered StartRun with "
                      + new Existing(message).disposition()
                      + " and no run, which this client does not know; upgrade it")
              .asRuntimeException());
    }
    return switch (message.getDisposition()) {
      case DISPOSITION_CREATED, DISPOSITION_SUPERSEDED -> new Created(message);
      case DISPOSITION_QUEUED -> new Queued(message);
      case DISPOSITION_EXISTING -> new Existing(message);
      case DISPOSITION_USED_EXISTING -> new Adopted(message);
      case DISPOSITION_SIGNALED -> new Signalled(message);
      case DISPOSITION_REJECTED -> new Rejected(message);
      case DISPOSITION_UNSPECIFIED, UNRECOGNIZED ->
          message.getCreated() ? new Created(message) : new Existing(message);
    };
  }
}
