package dev.hapax.domain.intent;

import dev.hapax.domain.TypeId;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.RunId;
import java.util.Optional;
import java.util.UUID;

/** The id of an intent, a UUID of version 7. The run that it creates has the same UUID. */
public record IntentId(Workspace workspace, UUID uuid) implements RecordKey<Intent> {
  private static final String INTENT = "intent";

  /** Parses a ticket; empty = the text is none. */
  public static Optional<IntentId> parse(Workspace workspace, String ticket) {
    return RunId.parse(workspace, ticket)
        .map(RunId::uuid)
        .or(() -> TypeId.parse(INTENT, ticket))
        .map(uuid -> new IntentId(workspace, uuid));
  }

  /** The ticket as the function returned it; that of a start is the id of its run. */
  public String ticket(IntentVerb verb) {
    return switch (verb) {
      case START_RUN -> run().text();
      case SIGNAL_RUN,
          SIGNAL_HOOK,
          CANCEL_RUN,
          COMPLETE_ACTION,
          COMPLETE_TASK,
          COMPLETE_OPERATION ->
          TypeId.print(INTENT, uuid);
    };
  }

  /** The run that this intent may create. */
  public RunId run() {
    return new RunId(workspace, uuid);
  }

  @Override
  public String toString() {
    return workspace.name() + "/" + TypeId.print(INTENT, uuid);
  }
}
