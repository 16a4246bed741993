package dev.hapax.domain.hook;

import dev.hapax.domain.ledger.JoinedRecord;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The runs that wait for a token, or at a limit, in their order. A place counts only while its run
 * waits with that turn, so the end of a waiting run needs no lock of the line.
 *
 * @param first the first places
 * @param hasMore whether places follow that were not loaded
 * @param last the places behind those, added since the line was loaded
 */
public record Line(List<Place> first, boolean hasMore, List<Place> last) implements JoinedRecord {
  /** How many places a ledger loads at least, if there are as many. */
  public static final int LOADED = 16;

  public static final Line EMPTY = new Line(List.of(), false, List.of());

  /** The place of a run. */
  public record Place(long turn, RunId run) {
    /** Whether this record of the run with the id of the place waits in this line. */
    public boolean isOf(UUID line, Object found) {
      return found instanceof Run waiting && waiting.waitsIn(line, turn);
    }
  }

  public Line {
    first = List.copyOf(first);
    last = List.copyOf(last);
  }

  public Line with(Place place) {
    return hasMore
        ? new Line(first, true, added(last, place))
        : new Line(added(first, place), false, List.of());
  }

  private static List<Place> added(List<Place> places, Place place) {
    return Stream.concat(places.stream(), Stream.of(place)).toList();
  }

  /** This line after the run with this turn, and all before it. */
  public Line after(long turn) {
    return new Line(first.stream().filter(place -> place.turn() > turn).toList(), hasMore, last);
  }

  /**
   * What has changed since the line was loaded.
   *
   * @param added in their order
   * @param left the last turn of those that have left: all places up to it have
   */
  public record Changes(List<Place> added, OptionalLong left) {}

  /** How this line differs from the same line as it was loaded. */
  public Changes since(Line loaded) {
    var known = loaded.places().toList();
    var kept = places().toList();
    return new Changes(
        places().filter(place -> !known.contains(place)).toList(),
        known.stream().filter(place -> !kept.contains(place)).mapToLong(Place::turn).max());
  }

  Stream<Place> places() {
    return Stream.concat(first.stream(), last.stream());
  }

  /** Whether all runs that wait can be locked at once. */
  boolean isShort() {
    return !hasMore && first.size() <= LOADED;
  }

  /** How many runs wait at most, if not more than this do. */
  int atMost(int bound) {
    return hasMore ? bound : first.size();
  }

  @Override
  public Line joined(RecordKey<?> key, Function<RecordKey<?>, Optional<Object>> records) {
    var hash = ((LineId) key).hash();
    return new Line(
        first.stream()
            .filter(
                place ->
                    records.apply(place.run()).filter(run -> place.isOf(hash, run)).isPresent())
            .toList(),
        hasMore,
        last);
  }
}
