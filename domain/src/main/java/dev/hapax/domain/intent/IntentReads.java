package dev.hapax.domain.intent;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Reads intents, outside of the ledger. */
public interface IntentReads {
  /** How long the outcome of an intent is kept. */
  int OUTCOME_DAYS = 7;

  /**
   * Finds the workspaces with posted intents.
   *
   * @param since only those with intents that this snapshot does not show; empty = all
   */
  CompletableFuture<InboxWorkspaces> workspaces(Optional<String> since);

  /**
   * Reads a page of the inbox of a workspace, or of new intents of all, by number. It may leave out
   * signals behind one of the page that waits for the same record.
   *
   * @param atMost intents on the page
   */
  CompletableFuture<InboxPage> scan(InboxPosition position, int atMost);

  /** Finds an intent; empty = it was not committed, or was taken long ago. */
  CompletableFuture<Optional<Found>> find(IntentId id);

  /** Finds an intent in the inbox; empty = it is not there. */
  CompletableFuture<Optional<PostedIntent>> posted(IntentId id);

  /** Returns those of the intents that were taken. */
  CompletableFuture<Set<IntentId>> taken(Set<IntentId> ids);

  /** Lists the intents of one state. */
  CompletableFuture<Page<Found, UUID>> list(Query query);

  /**
   * A place in the inbox.
   *
   * @param in the workspace; empty = all
   * @param since skips what this snapshot shows; empty = skips nothing
   * @param as shows what this snapshot shows, and not more; empty = everything
   * @param after the number of the last intent before the page
   */
  record InboxPosition(
      Optional<Workspace> in, Optional<String> since, Optional<String> as, long after) {
    /** The first page of a workspace. */
    public static InboxPosition in(Workspace workspace) {
      return new InboxPosition(
          Optional.of(workspace), Optional.empty(), Optional.empty(), Long.MIN_VALUE);
    }

    /** The first page of the rows that a snapshot does not show. */
    public static InboxPosition since(String snapshot) {
      return new InboxPosition(
          Optional.empty(), Optional.of(snapshot), Optional.empty(), Long.MIN_VALUE);
    }
  }

  /**
   * The workspaces with posted intents.
   *
   * @param snapshot of the database when they were read
   * @param isUsed whether any role may post intents
   */
  record InboxWorkspaces(Set<Workspace> workspaces, String snapshot, boolean isUsed) {
    public InboxWorkspaces {
      workspaces = Set.copyOf(workspaces);
    }
  }

  /**
   * A page of the inbox.
   *
   * @param snapshot of the database when it was read
   * @param now by the database's clock
   * @param isLast no intents follow
   * @param isUsed whether any role may post intents
   */
  record InboxPage(
      List<PostedIntent> intents, String snapshot, Instant now, boolean isLast, boolean isUsed) {
    public InboxPage {
      intents = List.copyOf(intents);
    }

    /** The place of the next page, which shows what this one's snapshot shows. */
    public InboxPosition next(InboxPosition position) {
      return new InboxPosition(
          position.in(),
          position.since(),
          position.as().or(() -> Optional.of(snapshot)),
          intents.getLast().number());
    }
  }

  /** An intent and its id. */
  record Found(IntentId id, Intent intent) {}

  /** The states by which intents are listed. */
  enum State {
    /** The oldest first. */
    POSTED,
    /** The newest first. */
    FAILED
  }

  /**
   * A request for a page.
   *
   * @param after the last intent of the page before
   */
  record Query(Workspace workspace, State state, int size, Optional<UUID> after) {}
}
