package dev.hapax.domain.entity;

import dev.hapax.domain.janitor.JanitorMode;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A model of an entity of {@link Invoices} without events and folds, with the lifecycle coded by
 * hand. Each method returns the word of the outcome and changes the model.
 */
final class EntityModel {
  /** One way of one requester. */
  private record Way(String from, @Nullable String into, String to, boolean effect) {}

  private record Holder(long nonce, String attempt, String step, String requester, Way way) {}

  private static final Map<String, Way> WAYS =
      Map.of(
          "approve admin", new Way("draft", null, "approved", true),
          "approve system", new Way("draft", null, "approved", false),
          "close admin", new Way("approved", "closing", "closed", true),
          "close system", new Way("approved", null, "closed", false),
          "regenerate admin", new Way("closed", "regenerating", "draft", false),
          "regenerate system", new Way("closed", "regenerating", "draft", false),
          "cancel admin", new Way("approved", null, "void", false));

  String status;
  long version = 1;
  int effects;
  JanitorMode mode;
  private @Nullable Holder holder;

  /** Of the janitor that holds it; 0 = none. */
  private long recovery;

  private Instant lease = Instant.EPOCH;

  /** The end of the last grant, with its nonce and version. */
  private String last = "";

  private String released = "";
  private String deleted = "";

  EntityModel(String status, JanitorMode mode) {
    this.status = status;
    this.mode = mode;
  }

  boolean isTaken() {
    return holder != null;
  }

  private boolean isStale(Instant now) {
    return holder != null && !now.isBefore(lease);
  }

  String begin(BeginAction begin, String attempt, Instant now) {
    var way = WAYS.get(begin.step() + " " + begin.requester());
    if (isOwn(begin, attempt)) {
      renew(now);
      return "reentered";
    }
    if (way == null) {
      return "forbidden";
    }
    if (holder != null && recovery == 0 && !isStale(now)) {
      return "busy";
    }
    if (begin.expectedVersion().orElse(version) != version) {
      return "moved";
    }
    if (holder != null && !(isStale(now) && mode == JanitorMode.HOSTED)) {
      return "recovery";
    }
    if (holder != null) {
      back();
    }
    if (!status.equals(way.from())) {
      return "wrong";
    }
    if (way.into() != null) {
      holder = new Holder(begin.nonce(), attempt, begin.step(), begin.requester(), way);
      status = way.into();
      version++;
      lease = now.plus(EntityStory.LEASE);
    }
    return "granted";
  }

  private boolean isOwn(BeginAction begin, String attempt) {
    return holder != null
        && recovery == 0
        && holder.attempt().equals(attempt)
        && holder.step().equals(begin.step())
        && holder.requester().equals(begin.requester());
  }

  private void renew(Instant now) {
    var until = now.plus(EntityStory.LEASE);
    lease = until.isAfter(lease) ? until : lease;
  }

  private boolean holds(ActionClaim claim) {
    return holder != null && recovery == 0 && holder.nonce() == claim.nonce();
  }

  private static String key(long nonce, long version, String how) {
    return nonce + "/" + version + "/" + how;
  }

  private boolean ended(ActionClaim claim, String how) {
    return last.equals(key(claim.nonce(), claim.version() + 1, how));
  }

  String complete(ActionClaim claim) {
    if (ended(claim, "completed")) {
      return "already";
    }
    if (claim.exclusive() ? !holds(claim) : claim.version() != version) {
      return "lost";
    }
    var way = WAYS.get(claim.step() + " " + claim.requester());
    return end(
        claim.nonce(), "completed", way == null ? status : way.to(), way != null && way.effect());
  }

  String fail(ActionClaim claim) {
    if (ended(claim, "failed")) {
      return "already";
    }
    if (!claim.exclusive()) {
      return ended(claim, "completed") ? "lost" : "failed";
    }
    return holds(claim) ? end(claim.nonce(), "failed", from(), false) : "lost";
  }

  private String from() {
    return Optional.ofNullable(holder).orElseThrow().way().from();
  }

  private String end(long nonce, String how, String next, boolean effect) {
    status = next;
    version++;
    effects += effect ? 1 : 0;
    holder = null;
    recovery = 0;
    last = key(nonce, version, how);
    return how;
  }

  String renew(ActionClaim claim, Instant now) {
    if (holds(claim)) {
      renew(now);
      return "renewed";
    }
    return !claim.exclusive() && claim.version() == version ? "renewed" : "lost";
  }

  private void back() {
    end(0, "back", from(), false);
  }

  String sweep(Instant now) {
    if (!isStale(now) || mode == JanitorMode.REMOTE) {
      return "left";
    }
    back();
    return "reverted";
  }

  String recover(long nonce, Instant now) {
    if (!isStale(now) || mode == JanitorMode.HOSTED) {
      return "left";
    }
    recovery = nonce;
    version++;
    lease = now.plus(EntityStory.LEASE);
    return "recovering";
  }

  String say(RecoveryClaim claim, RecoveryVerdict verdict) {
    var how = "recovered " + verdict;
    if (last.equals(key(claim.nonce(), claim.version() + 1, how))) {
      return "already";
    }
    if (holder == null || recovery != claim.nonce()) {
      return "lost";
    }
    var done = verdict == RecoveryVerdict.COMPLETE;
    end(claim.nonce(), how, done ? holder.way().to() : from(), done && holder.way().effect());
    return "recovered";
  }

  String delete(String requestId) {
    if (deleted.equals(requestId)) {
      return "already";
    }
    if (holder != null) {
      return "claimed";
    }
    deleted = requestId;
    version++;
    return "deleted";
  }

  void createdAgain(String beginning) {
    status = beginning;
    version++;
    last = "";
    released = "";
  }

  String release(String requestId) {
    if (released.equals(requestId)) {
      return "already";
    }
    if (holder == null) {
      return "unclaimed";
    }
    released = requestId;
    back();
    return "released";
  }
}
