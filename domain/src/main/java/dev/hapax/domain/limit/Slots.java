package dev.hapax.domain.limit;

import dev.hapax.domain.ledger.JoinedRecord;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The runs that a limit admitted. A slot counts only while its run is in the queue or held with
 * that turn, or until it ends if the limit is one of its definition, so the end of an attempt or a
 * run writes nothing here.
 *
 * @param taken the slots that count
 * @param dead the others, which never count again
 */
public record Slots(List<Slot> taken, List<Slot> dead) implements JoinedRecord {
  public static final Slots NONE = new Slots(List.of(), List.of());

  /** The slot of a run. */
  public record Slot(long turn, RunId run) {}

  public Slots {
    taken = List.copyOf(taken);
    dead = List.copyOf(dead);
  }

  /** These slots without those that are dead, and another one. */
  Slots with(Slot slot) {
    return new Slots(Stream.concat(taken.stream(), Stream.of(slot)).toList(), List.of());
  }

  /** Those that the same slots did not have as they were loaded. */
  public List<Slot> addedTo(Slots loaded) {
    var known = Set.copyOf(loaded.taken());
    return taken.stream().filter(slot -> !known.contains(slot)).toList();
  }

  @Override
  public Slots joined(RecordKey<?> key, Function<RecordKey<?>, Optional<Object>> records) {
    var line = ((SlotsId) key).limit().hash();
    var counting =
        taken.stream()
            .filter(
                slot ->
                    records
                        .apply(slot.run())
                        .filter(found -> ((Run) found).isAdmittedTo(line, slot.turn()))
                        .isPresent())
            .toList();
    return new Slots(
        counting,
        Stream.concat(taken.stream().filter(slot -> !counting.contains(slot)), dead.stream())
            .toList());
  }
}
