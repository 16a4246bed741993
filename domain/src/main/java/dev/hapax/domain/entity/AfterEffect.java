package dev.hapax.domain.entity;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.domain.lifecycle.EffectDefinition;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TraceParent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts the after-effect of a transition: a run that is written together with the transition. It
 * exists if and only if the transition does, and is dispatched, retried and listed like any run.
 * The id of its step is the id of the effect.
 */
public final class AfterEffect {
  /** Cannot occur in the text of a caller, so it keeps these keys apart from those of callers. */
  private static final String SEPARATOR = "\0";

  private AfterEffect() {}

  /** The run key of the after-effect of the transition to this version of the entity. */
  public static RunKeyId key(EntityId entity, long version) {
    var text =
        String.join(
            SEPARATOR,
            EffectDefinition.STEP,
            entity.lifecycle(),
            entity.id(),
            Long.toString(version));
    return new RunKeyId(entity.workspace(), Digest.sha256(text));
  }

  /** The records of the effect that a transition to this version may start, but its definition. */
  static List<RecordKey<?>> keys(EntityId entity, long version, RunId run) {
    return List.of(run, key(entity, version));
  }

  /**
   * Starts the after-effect, if the transition has one.
   *
   * @param moved the entity where success has led it
   * @param output of the action; a recovery knows none
   * @param run drawn for it
   * @param trace the span of the caller that completed the action
   */
  static Optional<Run> start(
      BatchRecords records,
      Instant now,
      Entity moved,
      Transition transition,
      Optional<Payload> output,
      RunId run,
      Optional<TraceParent> trace,
      Actor actor) {
    var input = input(moved, transition, output);
    return transition
        .effect()
        .map(effect -> definition(records, now, effect, moved.id().workspace()))
        .map(definition -> start(records, now, moved, input, definition, run, trace, actor));
  }

  /** The definition of a plain effect follows from its name; others are registered. */
  private static Definition definition(
      BatchRecords records, Instant now, Effect effect, Workspace workspace) {
    if (effect.isPlain()) {
      return EffectDefinition.plain(workspace, effect.name(), now);
    }
    var id = effect.definition(workspace);
    records.share(List.of(id));
    return records.get(id).orElseThrow();
  }

  private static Run start(
      BatchRecords records,
      Instant now,
      Entity moved,
      String input,
      Definition definition,
      RunId run,
      Optional<TraceParent> trace,
      Actor actor) {
    var key =
        new StartRun.Key(
            key(moved.id(), moved.version()),
            Fingerprint.of(Digest.sha256(input).toString().getBytes(StandardCharsets.US_ASCII)),
            StartRun.Key.DEFAULT_RETENTION);
    var labels =
        Map.of(
            EffectDefinition.LIFECYCLE_LABEL,
            moved.id().lifecycle(),
            "hapax.entity",
            moved.id().id());
    return new StartRun(
            run,
            definition,
            false,
            new RunParameters(new Payload.Json(input), labels, trace),
            Optional.empty(),
            Optional.of(key),
            Optional.empty(),
            actor)
        .create(records, now);
  }

  private static String input(Entity moved, Transition transition, Optional<Payload> output) {
    return "{\"lifecycle\":"
        + quoted(moved.id().lifecycle())
        + ",\"entity_id\":"
        + quoted(moved.id().id())
        + ",\"step_key\":"
        + quoted(transition.step())
        + ",\"requester\":"
        + quoted(transition.requester())
        + ",\"status\":"
        + quoted(moved.status())
        + ",\"version\":"
        + moved.version()
        + output.map(AfterEffect::member).orElse("")
        + '}';
  }

  private static String member(Payload output) {
    return switch (output) {
      case Payload.Json(var text) -> ",\"output\":" + text;
      case Payload.Binary binary ->
          ",\"output_base64\":\"" + Base64.getEncoder().encodeToString(binary.bytes()) + '"';
    };
  }

  /** Quotes a name, which has no control characters. */
  private static String quoted(String name) {
    return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
