package dev.hapax.domain.entity;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.By;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.StartRun;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What follows from a success: a run of one step, written with the transition. So it is there if
 * and only if the transition is, and is dispatched, retried, listed and failed as any run; the id
 * of its step is the id of the effect.
 */
public final class AfterEffect {
  /** The name of all their definitions; the version is the name of the effect, and its queue. */
  public static final String DEFINITION = "hapax.after-effect";

  private static final String STEP = "after-effect";

  /** No text of a caller has it, so no key of a caller can be the same. */
  private static final String SEPARATOR = "\0";

  private AfterEffect() {}

  static DefinitionId definitionId(Workspace workspace, String effect) {
    return new DefinitionId(workspace, DEFINITION, effect);
  }

  /** What runs of this effect go through. */
  public static Definition definition(Workspace workspace, String effect, Instant registeredAt) {
    var work =
        new StepDefinition.Work(effect, StepDefinition.Work.DEFAULT_LEASE, RetryPolicy.DEFAULT);
    return new Definition(
        definitionId(workspace, effect),
        List.of(new StepDefinition(STEP, new StepDefinition.Task(work))),
        registeredAt);
  }

  /** The key of the effect of the transition that raised the entity to this version. */
  public static RunKeyId key(EntityId entity, long version) {
    var text =
        String.join(SEPARATOR, STEP, entity.lifecycle(), entity.id(), Long.toString(version));
    return new RunKeyId(entity.workspace(), Digest.sha256(text));
  }

  /** The records it touches. */
  static List<RecordKey<?>> keys(EntityId entity, long version, RunId run) {
    return List.of(run, key(entity, version));
  }

  /**
   * Starts it, if the move has one.
   *
   * @param moved the entity where success has led it
   * @param run drawn for it
   */
  static Optional<Run> start(World world, Instant now, Entity moved, Move move, RunId run, By by) {
    return move.effect().map(effect -> start(world, now, moved, move, effect, run, by));
  }

  private static Run start(
      World world, Instant now, Entity moved, Move move, String effect, RunId run, By by) {
    var input = input(moved, move);
    var key =
        new StartRun.Key(
            key(moved.id(), moved.version()),
            Fingerprint.of(Digest.sha256(input).toString().getBytes(StandardCharsets.US_ASCII)),
            StartRun.Key.DEFAULT_RETENTION);
    var labels = Map.of("hapax.lifecycle", moved.id().lifecycle(), "hapax.entity", moved.id().id());
    return new StartRun(
            run,
            definition(run.workspace(), effect, now),
            new Payload.Json(input),
            labels,
            Optional.empty(),
            Optional.of(key),
            Optional.empty(),
            Optional.empty(),
            by)
        .create(world, now, started -> started);
  }

  private static String input(Entity moved, Move move) {
    return "{\"lifecycle\":"
        + quoted(moved.id().lifecycle())
        + ",\"entity_id\":"
        + quoted(moved.id().id())
        + ",\"step_key\":"
        + quoted(move.step())
        + ",\"requester\":"
        + quoted(move.requester())
        + ",\"status\":"
        + quoted(moved.status())
        + ",\"version\":"
        + moved.version()
        + '}';
  }

  /** Names have no control characters. */
  private static String quoted(String name) {
    return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
