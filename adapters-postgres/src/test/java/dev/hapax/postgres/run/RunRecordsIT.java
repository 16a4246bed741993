package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.Signal;
import dev.hapax.domain.run.SignalId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is written is what is loaded. */
class RunRecordsIT {
  private static final Definition DEFINITION = RunSamples.everyKind("records");
  private static final Payload INPUT = new Payload.Json("{}");
  private static RunNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
    nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Run sample(Phase phase) {
    return RunSamples.run(DEFINITION, RunSamples.origin(INPUT, Map.of()), phase);
  }

  private static void writeAndRead(List<Run> runs) {
    nodes.runAll(runs.stream().map(run -> RunNodes.write(run.id(), run)).toList());
    assertThat(nodes.runAll(runs.stream().map(run -> RunNodes.read(run.id())).toList()))
        .isEqualTo(runs);
  }

  private static <R> void writeAndRead(RecordKey<R> key, R record) {
    nodes.run(RunNodes.write(key, record));
    assertThat(nodes.run(RunNodes.read(key))).isEqualTo(record);
  }

  @Test
  @DisplayName("a definition with every kind of step is read as it was written")
  void definition() {
    assertThat(nodes.run(RunNodes.read(DEFINITION.id()))).isEqualTo(DEFINITION);
  }

  @Test
  @DisplayName("a run is read as it was written, in every phase, paused and not")
  void everyPhase() {
    writeAndRead(RunSamples.phases().stream().map(RunRecordsIT::sample).toList());
  }

  @Test
  @DisplayName("a run is read with its input, labels, state and output, whatever they hold")
  void everyPart() {
    var runs = new ArrayList<Run>();
    for (var payload : RunSamples.PAYLOADS) {
      for (var text : RunSamples.TEXTS) {
        var origin = RunSamples.origin(payload, Map.of(text, text, "empty", ""));
        var run = RunSamples.run(DEFINITION, origin, new Phase.Completed(RunSamples.NOW));
        runs.add(RunSamples.with(run, 3, RunSamples.STATE, Optional.of(payload)));
      }
    }
    writeAndRead(runs);
  }

  @Test
  @DisplayName("from every phase to every other, nothing of the former one stays")
  void everyTransition() {
    for (var before : RunSamples.phases()) {
      var written = new ArrayList<Run>();
      for (var after : RunSamples.phases()) {
        written.add(RunSamples.with(sample(before), 8, after));
        nodes.run(RunNodes.write(written.getLast().id(), sample(written.getLast(), before)));
      }
      writeAndRead(written);
    }
  }

  private static Run sample(Run run, Phase before) {
    return RunSamples.with(run, 7, before);
  }

  @Test
  @DisplayName("state and output change alone, together and not at all, and go away again")
  void stateAndOutput() {
    var large = new Json.Obj(Map.of("a", new Json.Str("x".repeat(20_000))));
    var run = sample(new Phase.Ready(RunSamples.NOW, 1));
    var version = 7;
    for (var state : List.of(Json.Obj.EMPTY, RunSamples.STATE, large, Json.Obj.EMPTY)) {
      for (var output :
          List.of(
              Optional.<Payload>empty(),
              Optional.of(RunSamples.PAYLOADS.getFirst()),
              Optional.of(RunSamples.PAYLOADS.getLast()),
              Optional.<Payload>empty())) {
        run = RunSamples.with(run, version++, state, output);
        writeAndRead(run.id(), run);
      }
    }
  }

  @Test
  @DisplayName("runs too large for one batch are loaded over several")
  void large() {
    var runs = new ArrayList<Run>();
    for (var i = 0; i < 40; i++) {
      var origin = RunSamples.origin(new Payload.Binary(new byte[200 * 1024]), Map.of());
      runs.add(RunSamples.run(DEFINITION, origin, new Phase.Ready(RunSamples.NOW, i)));
    }
    writeAndRead(runs);
  }

  @Test
  @DisplayName("keys and signals are read as they were written, and as they were changed")
  void keysAndSignals() {
    var run = sample(new Phase.Ready(RunSamples.NOW, 1)).id();
    for (var text : RunSamples.TEXTS) {
      var key = RunKeyId.of(RunSamples.WORKSPACE, text);
      var signal = new SignalId(run, text);
      for (var i = 0; i < 2; i++) {
        var request = Fingerprint.of(new byte[] {(byte) i});
        writeAndRead(key, new RunKey(RunSamples.newRun(), request, RunSamples.NOW.plusSeconds(i)));
        var other = new SignalId(run, text + "2");
        writeAndRead(other, new Signal(4, text, Optional.empty(), i == 1));
        writeAndRead(signal, new Signal(3, text, Optional.of(RunSamples.SOURCE), i == 1));
      }
    }
  }

  @Test
  @DisplayName("every event is read as it was written, in order, on pages of every size")
  void everyEvent() {
    for (var payload : RunSamples.PAYLOADS) {
      var origin = RunSamples.origin(payload, Map.of("label", "value"));
      var created = Run.created(RunSamples.newRun(), DEFINITION, origin, Actor.caller("clerk"));
      var events = new ArrayList<>(created.newEvents());
      nodes.run(RunNodes.write(created.id(), created));
      var later = RunSamples.events(1, RunSamples.changes());
      events.addAll(later);
      var after = RunSamples.with(created, events.size(), created.phase()).with(later);
      nodes.run(RunNodes.write(after.id(), after));

      for (var size : List.of(7, 499, 500)) {
        assertThat(history(created.id(), size)).isEqualTo(events);
      }
    }
  }

  private static List<RunEvent> history(RunId id, int size) {
    var all = new ArrayList<RunEvent>();
    var after = Optional.of(0L);
    do {
      var page = nodes.runs().events(id, after.get(), size).join();
      assertThat(page.items().size()).isLessThanOrEqualTo(size);
      all.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return all;
  }

  @Test
  @DisplayName("a page of events ends early rather than be too large")
  void largeEvents() {
    var large = new Payload.Binary(new byte[Payload.MAX_BYTES]);
    var created =
        Run.created(
            RunSamples.newRun(),
            DEFINITION,
            RunSamples.origin(large, Map.of()),
            Actor.caller("clerk"));
    var changes =
        Collections.<RunChange>nCopies(
            10, new RunChange.SignalReceived("id", "type", Optional.empty(), Optional.of(large)));
    var later = RunSamples.events(1, changes);
    var run = RunSamples.with(created, later.size() + 1, created.phase());
    nodes.run(RunNodes.write(run.id(), run.with(concat(created.newEvents(), later))));

    var page = nodes.runs().events(run.id(), 0, 500).join();
    assertThat(page.items()).hasSize(16);
    assertThat(history(run.id(), 500)).isEqualTo(concat(created.newEvents(), later));
  }

  private static List<RunEvent> concat(List<RunEvent> some, List<RunEvent> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }
}
