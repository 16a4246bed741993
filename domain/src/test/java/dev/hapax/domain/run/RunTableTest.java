package dev.hapax.domain.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Table;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every situation of a run and every command, against tables written by hand from the design (5.2).
 * The rules of the {@link Chronicle} are checked with each of them.
 */
class RunTableTest {
  /**
   * With the claim of the last grant. A status = done, and the run has this status; lost, nothing =
   * the outcome, nothing changed; renewed, read = done without an event.
   */
  private static final String WORKERS =
      """
      situation                              | claim     | complete  | skip | fail    | final  | suspend | record  | begin   | break   | ask  | heartbeat | give back | release
      absent                                 | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      pending                                | RUNNING   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      pending, not due                       | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      held                                   | nothing   | COMPLETED | "    | RUNNING | FAILED | WAITING | RUNNING | "       | "       | read | renewed   | RUNNING   | RUNNING
      held, more to come                     | nothing   | RUNNING   | "    | RUNNING | FAILED | WAITING | RUNNING | "       | "       | read | renewed   | RUNNING   | RUNNING
      held, lease over                       | RUNNING   | COMPLETED | "    | RUNNING | FAILED | WAITING | RUNNING | "       | "       | read | renewed   | RUNNING   | RUNNING
      held, last attempt                     | nothing   | COMPLETED | "    | FAILED  | "      | WAITING | RUNNING | "       | "       | read | renewed   | RUNNING   | RUNNING
      held, last attempt, lease over         | FAILED    | COMPLETED | "    | FAILED  | "      | WAITING | RUNNING | "       | "       | read | renewed   | RUNNING   | RUNNING
      between attempts                       | RUNNING   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      between attempts, not due              | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      given back                             | RUNNING   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      suspended                              | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      suspended, time over                   | RUNNING   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      suspended for a signal                 | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      suspended, unchecked inbox             | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      woken                                  | RUNNING   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      between steps                          | RUNNING   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      timer                                  | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      timer, over                            | COMPLETED | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      signal                                 | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      signal, timed out                      | FAILED    | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, held                           | nothing   | PAUSED    | "    | "       | "      | "       | "       | "       | "       | read | renewed   | PAUSED    | PAUSED
      paused, held, more to come             | nothing   | PAUSED    | "    | "       | "      | "       | "       | "       | "       | read | renewed   | PAUSED    | PAUSED
      paused, held, lease over               | PAUSED    | "         | "    | "       | "      | "       | "       | "       | "       | read | renewed   | PAUSED    | PAUSED
      paused, held, last attempt, lease over | PAUSED    | "         | "    | "       | "      | "       | "       | "       | "       | read | renewed   | PAUSED    | PAUSED
      paused, lease lost                     | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, between attempts               | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, between steps                  | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, suspended, time over           | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, timer, over                    | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, signal, timed out              | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, all done                       | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, step failed                    | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      completed                              | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      failed                                 | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      pending, too late                      | FAILED    | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      held, too late                         | FAILED    | COMPLETED | "    | FAILED  | "      | "       | RUNNING | "       | "       | read | renewed   | RUNNING   | "
      timer, too late                        | FAILED    | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      paused, held, too late                 | FAILED    | "         | "    | "       | "      | "       | PAUSED  | "       | "       | read | renewed   | PAUSED    | "
      failed, not started                    | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      cancelled                              | nothing   | lost      | "    | "       | "      | "       | "       | "       | "       | "    | "         | nothing   | lost
      """;

  /**
   * refused, missing = the outcome, nothing changed; same = already so, nothing changed; buffered =
   * the signal is in the inbox, and the run is otherwise unchanged.
   */
  private static final String OTHERS =
      """
      situation                              | advance   | match   | signal    | pause   | resume    | cancel    | retry
      absent                                 | nothing   | "       | missing   | "       | "         | "         | "
      pending                                | nothing   | "       | buffered  | refused | "         | CANCELLED | refused
      pending, not due                       | nothing   | "       | buffered  | refused | "         | CANCELLED | refused
      held                                   | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      held, more to come                     | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      held, lease over                       | RUNNING   | nothing | buffered  | PAUSED  | same      | CANCELLED | same
      held, last attempt                     | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      held, last attempt, lease over         | FAILED    | nothing | buffered  | PAUSED  | same      | CANCELLED | same
      between attempts                       | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      between attempts, not due              | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      given back                             | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      suspended                              | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | refused
      suspended, time over                   | RUNNING   | nothing | buffered  | PAUSED  | same      | CANCELLED | refused
      suspended for a signal                 | nothing   | "       | RUNNING   | PAUSED  | same      | CANCELLED | refused
      suspended, unchecked inbox             | nothing   | RUNNING | buffered  | PAUSED  | same      | CANCELLED | refused
      woken                                  | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      between steps                          | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | same
      timer                                  | nothing   | "       | buffered  | PAUSED  | same      | CANCELLED | refused
      timer, over                            | COMPLETED | nothing | buffered  | PAUSED  | same      | CANCELLED | refused
      signal                                 | nothing   | "       | COMPLETED | PAUSED  | same      | CANCELLED | refused
      signal, timed out                      | FAILED    | nothing | COMPLETED | PAUSED  | same      | CANCELLED | refused
      paused, held                           | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, held, more to come             | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, held, lease over               | PAUSED    | nothing | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, held, last attempt, lease over | PAUSED    | nothing | buffered  | same    | FAILED    | CANCELLED | refused
      paused, lease lost                     | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, between attempts               | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, between attempts, not due      | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, between steps                  | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, suspended                      | nothing   | "       | buffered  | same    | WAITING   | CANCELLED | refused
      paused, suspended, time over           | nothing   | "       | buffered  | same    | RUNNING   | CANCELLED | refused
      paused, suspended, unchecked inbox     | nothing   | "       | buffered  | same    | WAITING   | CANCELLED | refused
      paused, timer                          | nothing   | "       | buffered  | same    | WAITING   | CANCELLED | refused
      paused, timer, over                    | nothing   | "       | buffered  | same    | COMPLETED | CANCELLED | refused
      paused, signal                         | nothing   | "       | buffered  | same    | WAITING   | CANCELLED | refused
      paused, signal, timed out              | nothing   | "       | buffered  | same    | FAILED    | CANCELLED | refused
      paused, all done                       | nothing   | "       | buffered  | same    | COMPLETED | CANCELLED | refused
      paused, step failed                    | nothing   | "       | buffered  | same    | FAILED    | CANCELLED | refused
      completed                              | nothing   | "       | refused   | "       | "         | "         | "
      failed                                 | nothing   | "       | refused   | "       | "         | "         | RUNNING
      failed, timed out                      | nothing   | "       | refused   | "       | "         | "         | WAITING
      pending, too late                      | FAILED    | nothing | buffered  | refused | "         | CANCELLED | refused
      held, too late                         | FAILED    | nothing | buffered  | PAUSED  | same      | CANCELLED | same
      timer, too late                        | FAILED    | nothing | buffered  | PAUSED  | same      | CANCELLED | refused
      paused, held, too late                 | FAILED    | nothing | buffered  | same    | FAILED    | CANCELLED | refused
      failed, not started                    | nothing   | "       | refused   | "       | "         | "         | PENDING
      cancelled                              | nothing   | "       | refused   | "       | "         | same      | refused
      """;

  /**
   * Settlements: of the current step, by complete, skip, fail and repeat; and of its part "pay".
   * alive = it cannot be settled, nothing changed.
   */
  private static final String SETTLEMENTS =
      """
      situation                              | complete it | skip it   | fail it | repeat it | pay completed | pay failed | pay repeated
      absent                                 | missing     | "         | "       | "         | "             | "          | "
      pending                                | alive       | "         | "       | "         | "             | "          | "
      held                                   | alive       | "         | "       | "         | "             | "          | "
      held, lease over                       | alive       | "         | "       | "         | "             | "          | "
      between attempts                       | alive       | "         | "       | "         | "             | "          | "
      suspended                              | alive       | "         | "       | "         | "             | "          | "
      timer                                  | alive       | "         | "       | "         | "             | "          | "
      signal                                 | alive       | "         | "       | "         | "             | "          | "
      paused, held                           | alive       | "         | "       | "         | "             | "          | "
      paused, all done                       | alive       | "         | "       | "         | "             | "          | "
      paused, step failed                    | alive       | "         | "       | "         | "             | "          | "
      completed                              | refused     | "         | "       | "         | "             | "          | "
      cancelled                              | refused     | "         | "       | "         | "             | "          | "
      failed                                 | COMPLETED   | "         | FAILED  | RUNNING   | alive         | "          | "
      failed, more to come                   | RUNNING     | "         | FAILED  | RUNNING   | alive         | "          | "
      failed, timed out                      | COMPLETED   | "         | FAILED  | WAITING   | alive         | "          | "
      failed, not started                    | COMPLETED   | "         | FAILED  | PENDING   | alive         | "          | "
      held, pay begun                        | alive       | "         | "       | "         | "             | "          | "
      pay begun                              | alive       | "         | "       | "         | RUNNING       | "          | "
      pay to be retried                      | alive       | "         | "       | "         | RUNNING       | "          | "
      pay failed, code goes on               | alive       | "         | "       | "         | "             | "          | "
      pay recorded                           | alive       | "         | "       | "         | "             | "          | "
      paused, pay begun                      | alive       | "         | "       | "         | PAUSED        | "          | "
      paused, pay to be retried              | alive       | "         | "       | "         | PAUSED        | "          | "
      paused, failed by pay                  | alive       | "         | "       | "         | "             | "          | "
      failed by pay                          | COMPLETED   | "         | FAILED  | RUNNING   | RUNNING       | "          | "
      failed in doubt of pay                 | COMPLETED   | "         | FAILED  | RUNNING   | RUNNING       | "          | "
      failed beside pay begun                | COMPLETED   | "         | FAILED  | RUNNING   | FAILED        | "          | "
      failed, pay failed and caught          | COMPLETED   | "         | FAILED  | RUNNING   | alive         | "          | "
      """;

  @TestFactory
  @DisplayName("every call of a worker in every situation [R7, R8, R9]")
  Stream<DynamicTest> workers() {
    return Table.of(WORKERS).each(RunTableTest::check);
  }

  @TestFactory
  @DisplayName("every timer, signal and control in every situation [R7, R10, R11]")
  Stream<DynamicTest> others() {
    return Table.of(OTHERS).each(RunTableTest::check);
  }

  @TestFactory
  @DisplayName("every settlement in every situation [workflows-P14, workflows-P17]")
  Stream<DynamicTest> settlements() {
    return Table.of(SETTLEMENTS).each(RunTableTest::check);
  }

  private static void check(Table.Cell cell) {
    var story = Situations.of(cell.state());
    var before = story.records();
    var stood = story.found();
    var version = stood.map(Run::version).orElse(0L);
    var outcome = story.does(command(story, cell.command()));
    assertThat(word(outcome)).isIn(words(cell));
    switch (cell.expected()) {
      case "lost", "nothing", "refused", "missing", "same", "read", "alive" ->
          assertThat(story.records()).isEqualTo(before);
      case "renewed" -> assertThat(story.run().version()).isEqualTo(version);
      case "buffered" -> {
        assertThat(story.run().version()).isEqualTo(version + 1);
        assertThat(story.status()).isEqualTo(stood.orElseThrow().status());
      }
      default -> {
        assertThat(story.run().version()).isGreaterThan(version);
        assertThat(story.status()).isEqualTo(RunStatus.valueOf(cell.expected()));
      }
    }
    assertThat(story.found().isEmpty() || story.folded().equals(Story.plain(story.run()))).isTrue();
  }

  @SuppressWarnings("unchecked") // an outcome of any type is an object
  private static Command<Object> command(Story story, String name) {
    var claim = story.claim();
    return (Command<Object>)
        (Command<?>)
            switch (name) {
              case "claim" -> story.offer(Steps.QUEUE, Optional.empty());
              case "complete" -> story.complete(claim);
              case "skip" -> story.skip(claim);
              case "fail" -> story.fail(claim);
              case "final" -> story.failFinally(claim);
              case "suspend" -> story.suspend(claim, Situations.HOUR);
              case "record" -> story.record(claim, "part");
              case "begin" -> story.report(claim, Story.begin("other part"));
              case "break" -> story.report(claim, Story.failing("other part", 1));
              case "ask" -> story.ask(claim, "part");
              case "heartbeat" -> story.heartbeat(claim);
              case "give back" -> new ReturnUndeliveredTask(claim);
              case "release" -> new ReleaseTask(claim, Duration.ZERO, PrincipalName.NONE);
              case "advance" -> story.advance();
              case "match" ->
                  story.found().map(_ -> story.match()).orElseGet(RunTableTest::matchNone);
              case "signal" -> story.signal("s1", "go");
              case "pause" -> story.control(Verb.PAUSE);
              case "resume" -> story.control(Verb.RESUME);
              case "cancel" -> story.control(Verb.CANCEL);
              case "retry" -> story.retry();
              case "complete it" -> story.settle(COMPLETE);
              case "skip it" -> story.settle(new RunChange.Verdict.Skip());
              case "fail it" -> story.settle(new RunChange.Verdict.Fail(Story.FAILURE));
              case "repeat it" -> story.settle(new RunChange.Verdict.Repeat());
              case "pay completed" -> story.settle("pay", COMPLETE);
              case "pay failed" -> story.settle("pay", new RunChange.Verdict.Fail(Story.FAILURE));
              case "pay repeated" -> story.settle("pay", new RunChange.Verdict.Repeat());
              default -> throw new IllegalArgumentException(name);
            };
  }

  private static final RunChange.Verdict COMPLETE =
      new RunChange.Verdict.Complete(Optional.of(Story.OUTPUT), Optional.empty());

  private static MatchBufferedSignal matchNone() {
    return new MatchBufferedSignal(Story.ID, 0, Optional.empty());
  }

  /** Maps the outcome to one word. */
  private static String word(Object outcome) {
    return switch (outcome) {
      case TaskLost _ -> "lost";
      case ClaimTaskOutcome.NothingToDo _ -> "nothing";
      case ControlOutcome.NotFound _, SignalOutcome.NotFound _ -> "missing";
      case ControlOutcome.NotAllowed _, SignalOutcome.RunEnded _ -> "refused";
      case ControlOutcome.NotSettleable _ -> "alive";
      case SignalOutcome.Accepted(_, var disposition) ->
          disposition.name().toLowerCase(Locale.ROOT);
      case RecordStepOutcome.NotRecorded _ -> "read";
      default -> "done";
    };
  }

  /** The words that the cell allows. */
  private static List<String> words(Table.Cell cell) {
    return switch (cell.expected()) {
      case "lost", "missing", "refused", "buffered", "read", "alive" -> List.of(cell.expected());
      case "nothing" -> List.of(cell.command().equals("claim") ? "nothing" : "done");
      default ->
          cell.command().equals("signal")
              ? List.of("delivered")
              // the claim advanced the run, but found no step to take
              : cell.command().equals("claim") && !cell.expected().equals("RUNNING")
                  ? List.of("nothing")
                  : List.of("done");
    };
  }

  @TestFactory
  @DisplayName("unknown or foreign claims change nothing in any situation [R8]")
  Stream<DynamicTest> otherClaims() {
    var verbs =
        List.of("complete", "skip", "fail", "final", "suspend", "record", "begin", "break", "ask");
    var all =
        Stream.concat(verbs.stream(), Stream.of("heartbeat", "release", "give back")).toList();
    return situations()
        .map(
            name ->
                DynamicTest.dynamicTest(
                    name,
                    () -> {
                      var story = Situations.of(name);
                      var before = story.records();
                      for (var claim : others(story.claim())) {
                        for (var verb : all) {
                          var outcome = story.does(by(claim, command(story, verb)));
                          assertThat(word(outcome))
                              .isEqualTo(verb.equals("give back") ? "done" : "lost");
                          assertThat(story.records()).isEqualTo(before);
                        }
                      }
                    }));
  }

  private static Stream<String> situations() {
    return cells().map(Table.Cell::state).distinct();
  }

  private static Stream<Table.Cell> cells() {
    return Stream.of(WORKERS, OTHERS, SETTLEMENTS)
        .flatMap(table -> Table.of(table).cells().stream());
  }

  private static List<TaskClaim> others(TaskClaim claim) {
    return List.of(
        new TaskClaim(claim.run(), claim.step(), claim.nonce() + 1, claim.fence()),
        new TaskClaim(claim.run(), claim.step(), claim.nonce(), older(claim.fence())),
        new TaskClaim(claim.run(), claim.step(), claim.nonce(), new Fence(Long.MAX_VALUE)),
        new TaskClaim(claim.run(), claim.step() + 1, claim.nonce(), claim.fence()));
  }

  private static Fence older(Fence fence) {
    return new Fence(fence.value() - 1);
  }

  @SuppressWarnings("unchecked") // the same command, of the same outcome
  private static Command<Object> by(TaskClaim claim, Command<?> command) {
    return (Command<Object>)
        (Command<?>)
            switch (command) {
              case CompleteTask(
                      _,
                      var output,
                      var patch,
                      var consumed,
                      var skipped,
                      var next,
                      var parts,
                      var by) ->
                  new CompleteTask(claim, output, patch, consumed, skipped, next, parts, by);
              case FailTask(
                      _,
                      var failure,
                      var isFinal,
                      var after,
                      var jitter,
                      var parts,
                      var by) ->
                  new FailTask(claim, failure, isFinal, after, jitter, parts, by);
              case SuspendTask(_, var timer, var signal, var patch, var parts, var by) ->
                  new SuspendTask(claim, timer, signal, patch, parts, by);
              case RecordParts(_, var parts, var by) -> new RecordParts(claim, parts, by);
              case RecordStep(_, var name, var output, var consumed, var by) ->
                  new RecordStep(claim, name, output, consumed, by);
              case HeartbeatTask(_, var lease, var details) ->
                  new HeartbeatTask(claim, lease, details);
              case ReturnUndeliveredTask _ -> new ReturnUndeliveredTask(claim);
              case ReleaseTask(_, var delay, var reason, var by) ->
                  new ReleaseTask(claim, delay, reason, by);
              default -> throw new IllegalArgumentException(command.toString());
            };
  }

  @TestFactory
  @DisplayName("only the status transitions of the design occur [R7]")
  Stream<DynamicTest> moves() {
    var seen = allMoves();
    // a worker that skips has begun
    var indirect = Set.of("step PENDING -> SKIPPED");
    return Stream.concat(
            pairs("run ", RunStatus.values(), Chronicle::moves),
            pairs("step ", StepStatus.values(), Chronicle::moves))
        .map(
            pair ->
                DynamicTest.dynamicTest(
                    pair.name() + (pair.isListed() ? "" : " never"),
                    () ->
                        assertThat(seen.contains(pair.name()))
                            .isEqualTo(pair.isListed() && !indirect.contains(pair.name()))));
  }

  private record Pair(String name, boolean isListed) {}

  private static <S> Stream<Pair> pairs(String of, S[] all, Function<S, Set<S>> listed) {
    return Arrays.stream(all)
        .flatMap(
            from ->
                Arrays.stream(all)
                    .map(to -> new Pair(of + from + " -> " + to, listed.apply(from).contains(to))));
  }

  /** Of every command in every situation, and every command again after each. */
  private static Set<String> allMoves() {
    var commands = cells().map(Table.Cell::command).distinct().toList();
    var moves = new TreeSet<String>();
    situations()
        .filter(name -> !name.equals("absent"))
        .forEach(
            name -> {
              for (var first : commands) {
                for (var second : commands) {
                  var story = Situations.of(name);
                  story.does(command(story, first));
                  story.does(command(story, second));
                  moves.addAll(story.chronicle.moves);
                }
              }
            });
    return moves;
  }

  @TestFactory
  @DisplayName(
      "given an old expected_version, then nothing changes and the current version "
          + "is returned [R5]")
  Stream<DynamicTest> expectedVersion() {
    return Table.of(OTHERS).cells().stream()
        .filter(cell -> List.of("pause", "resume", "cancel", "retry").contains(cell.command()))
        .filter(cell -> !cell.expected().equals("missing"))
        .map(
            cell ->
                DynamicTest.dynamicTest(
                    cell.state() + ": " + cell.command(),
                    () -> {
                      var story = Situations.of(cell.state());
                      var before = story.run();
                      var old = OptionalLong.of(before.version() - 1);
                      var outcome = story.does(expecting(story, cell.command(), old));
                      assertThat(outcome)
                          .isEqualTo(
                              // a state that holds already comes before the version
                              cell.expected().equals("same")
                                  ? new ControlOutcome.Applied(before, true)
                                  : new ControlOutcome.Moved(before));
                      assertThat(story.run()).isEqualTo(before);
                      var right = OptionalLong.of(before.version());
                      assertThat(story.does(expecting(story, cell.command(), right)))
                          .isNotInstanceOf(ControlOutcome.Moved.class);
                    }));
  }

  private static Command<ControlOutcome> expecting(Story story, String verb, OptionalLong version) {
    return verb.equals("retry")
        ? story.retry(version)
        : story.control(Verb.valueOf(verb.toUpperCase(Locale.ROOT)), version);
  }

  @Test
  @DisplayName("cancelling fences the holder; its steps are CANCELLED, those done stay")
  void cancelled() {
    var story = Story.held(Steps.task("a"), Steps.task("b"), Steps.task("c"));
    story.does(story.complete(story.claim()));
    var claim = story.take();
    story.does(story.control(Verb.CANCEL));
    assertThat(story.chronicle.steps())
        .containsExactly(StepStatus.COMPLETED, StepStatus.CANCELLED, StepStatus.CANCELLED);
    assertThat(story.run().due()).isEmpty();
    assertThat(story.run().queue()).isEmpty();
    assertThat(story.does(story.heartbeat(claim)))
        .isInstanceOfSatisfying(
            TaskLost.class,
            lost -> assertThat(lost.reason()).isEqualTo(TaskLost.Reason.RUN_CANCELLED));
  }

  @TestFactory
  @DisplayName("a lost claim gets the reason [R8]")
  Stream<DynamicTest> reasons() {
    return Table.of(
            """
            situation                | why
            absent                   | UNKNOWN_CLAIM
            between attempts         | LEASE_LOST
            given back               | LEASE_LOST
            suspended                | LEASE_LOST
            paused, lease lost       | LEASE_LOST
            between steps            | ENDED
            paused, all done         | ENDED
            completed                | ENDED
            failed                   | ENDED
            cancelled                | RUN_CANCELLED
            """)
        .each(
            cell -> {
              var story = Situations.of(cell.state());
              var lost = (TaskLost) story.does(story.complete(story.claim()));
              assertThat(lost.reason()).isEqualTo(TaskLost.Reason.valueOf(cell.expected()));
            });
  }

  @TestFactory
  @DisplayName("every command names its run and its workspace")
  Stream<DynamicTest> namesItsRun() {
    var story = Situations.of("held");
    return cells()
        .map(Table.Cell::command)
        .distinct()
        .map(
            name ->
                DynamicTest.dynamicTest(
                    name,
                    () -> {
                      var command = command(story, name);
                      assertThat(List.<Object>copyOf(command.keys()))
                          .contains(Story.ID)
                          .doesNotHaveDuplicates();
                      assertThat(command.workspace()).isEqualTo(Story.ID.workspace());
                      assertThat(command.size()).isPositive();
                      assertThat(command.urgency())
                          .isEqualTo(
                              Set.of("claim", "signal").contains(name)
                                  ? Command.Urgency.START
                                  : Command.Urgency.FINISH);
                    }));
  }
}
