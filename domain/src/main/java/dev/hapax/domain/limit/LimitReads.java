package dev.hapax.domain.limit;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.hook.LineId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Reads limits without locks; every acknowledged write is visible. */
public interface LimitReads {
  /** The largest number of waiting runs that is counted. */
  int MOST_COUNTED = 1_000;

  /** Finds a limit that runs have reached, or that is set. */
  CompletableFuture<Optional<Found>> find(LimitKey key);

  /** Counts the runs that wait at a limit with a smaller turn than this. */
  CompletableFuture<Integer> ahead(LimitKey key, long turn);

  /** Lists the limits of a workspace by name and value. */
  CompletableFuture<Page<Found, LimitKey>> list(Query query);

  /** Whether a line of any token or limit has a place. */
  CompletableFuture<Boolean> hasPlaces();

  /**
   * Lists limits of all workspaces that may have room for the first run that waits.
   *
   * @param after the end of the page before; empty = the first page
   * @param searched how many lines with a place a page covers
   */
  CompletableFuture<Page<LimitKey, LineId>> free(Optional<LineId> after, int searched);

  /** Lists limits of all workspaces whose first waiting run may soon start by the rate. */
  CompletableFuture<List<Due>> due(Duration ahead, int atMost);

  /**
   * A limit that is due.
   *
   * @param in how long until then
   */
  record Due(LimitKey key, Duration in) {}

  /**
   * A page of limits.
   *
   * @param name empty = of any name
   * @param after the last one of the page before; empty = the first page
   */
  record Query(Workspace workspace, Optional<String> name, Optional<LimitKey> after, int size) {}

  /**
   * Numbers of a limit.
   *
   * @param maxRunning empty = any number
   * @param rate empty = any rate
   */
  record Numbers(OptionalInt maxRunning, Optional<Rate> rate) {
    public static final Numbers NONE = new Numbers(OptionalInt.empty(), Optional.empty());

    /** As steps and definitions declare them: 0 = any number. */
    public static Numbers of(int maxRunning, Optional<Rate> rate) {
      return new Numbers(maxRunning == 0 ? OptionalInt.empty() : OptionalInt.of(maxRunning), rate);
    }

    Numbers or(Numbers others) {
      return new Numbers(
          maxRunning.isPresent() ? maxRunning : others.maxRunning, rate.or(others::rate));
    }
  }

  /**
   * A limit and its line.
   *
   * @param declared the largest numbers that steps or definitions have declared; empty = no run has
   *     reached it
   * @param oldest when the first run began to wait
   * @param next when the rate lets it start; empty = the rate does not delay it
   * @param ofAll what is set for all values
   * @param own what is set for this value; empty = nothing
   */
  record Found(
      LimitKey key,
      Optional<Numbers> declared,
      int running,
      int waiting,
      Optional<Instant> oldest,
      Optional<Instant> next,
      Numbers ofAll,
      Optional<LimitSetting> own) {

    /** The numbers that apply to the runs of a step or definition with these. */
    public Numbers numbers(Numbers ofRun) {
      return own.map(setting -> new Numbers(setting.maxRunning(), setting.rate()))
          .orElse(Numbers.NONE)
          .or(ofAll)
          .or(ofRun);
    }

    /** The numbers that apply. */
    public Numbers numbers() {
      return numbers(declared.orElse(Numbers.NONE));
    }
  }
}
