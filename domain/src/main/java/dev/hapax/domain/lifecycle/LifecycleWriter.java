package dev.hapax.domain.lifecycle;

import dev.hapax.domain.DurationText;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Json;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Writes a lifecycle as JSON that {@link LifecycleReader} reads back as an equal one. */
public final class LifecycleWriter {
  private final Lifecycle lifecycle;

  private LifecycleWriter(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public static Json.Obj write(Lifecycle lifecycle) {
    return new LifecycleWriter(lifecycle).write();
  }

  private Json.Obj write() {
    var members = new LinkedHashMap<String, Json>();
    members.put(LifecycleReader.NAME, new Json.Str(lifecycle.name()));
    members.put(LifecycleReader.MODULE, new Json.Str(lifecycle.module()));
    members.put(LifecycleReader.ENTITY, new Json.Str(lifecycle.entity()));
    members.put(LifecycleReader.STATUSES, texts(lifecycle.statuses()));
    if (!lifecycle.nonIdempotentActions().isEmpty()) {
      members.put(LifecycleReader.NON_IDEMPOTENT, texts(lifecycle.nonIdempotentActions()));
    }
    if (!lifecycle.terms().isEmpty()) {
      members.put(EffectReader.EFFECTS, effects());
    }
    members.put(LifecycleReader.STEPS, steps());
    return annotated("", members);
  }

  /** Adds the annotations of this object. */
  private Json.Obj annotated(String pointer, Map<String, Json> members) {
    var kept = lifecycle.annotations().getOrDefault(pointer, Json.Obj.EMPTY);
    var all = new LinkedHashMap<>(kept.members());
    all.putAll(members);
    return new Json.Obj(all);
  }

  private Json effects() {
    var members = new LinkedHashMap<String, Json>();
    var pointer = Document.pointer("", EffectReader.EFFECTS);
    new TreeMap<>(lifecycle.terms())
        .forEach(
            (name, terms) -> members.put(name, effect(Document.pointer(pointer, name), terms)));
    return new Json.Obj(members);
  }

  private Json effect(String pointer, EffectTerms terms) {
    var members = new LinkedHashMap<String, Json>();
    switch (terms) {
      case EffectTerms.Queued(var lease, var retry) -> {
        members.put(EffectReader.LEASE, time(lease));
        members.put(
            EffectReader.RETRY,
            annotated(Document.pointer(pointer, EffectReader.RETRY), retry(retry)));
      }
      case EffectTerms.Registered(var definition, var version) -> {
        members.put(EffectReader.DEFINITION, new Json.Str(definition));
        members.put(EffectReader.VERSION, new Json.Str(version));
      }
    }
    return annotated(pointer, members);
  }

  private static Map<String, Json> retry(RetryPolicy retry) {
    var members = new LinkedHashMap<String, Json>();
    members.put(EffectReader.MAX_ATTEMPTS, new Json.Num("" + retry.maxAttempts()));
    members.put(EffectReader.INITIAL, time(retry.initial()));
    members.put(EffectReader.FACTOR, new Json.Num("" + retry.factor()));
    members.put(EffectReader.MAX, time(retry.max()));
    members.put(EffectReader.NON_RETRYABLE, texts(retry.nonRetryable().stream().sorted().toList()));
    return members;
  }

  private static Json time(Duration time) {
    return new Json.Str(DurationText.format(time));
  }

  private Json steps() {
    var pointer = Document.pointer("", LifecycleReader.STEPS);
    return new Json.Array(
        IntStream.range(0, lifecycle.steps().size())
            .<Json>mapToObj(
                i -> annotated(Document.pointer(pointer, "" + i), step(lifecycle.steps().get(i))))
            .toList());
  }

  private static Map<String, Json> step(LifecycleStep step) {
    var members = new LinkedHashMap<String, Json>();
    step.id().ifPresent(id -> members.put(LifecycleReader.STEP_ID, id(id)));
    members.put(LifecycleReader.STEP_KEY, new Json.Str(step.key()));
    members.put(LifecycleReader.STATUS, new Json.Str(step.status()));
    put(members, LifecycleReader.CLAIM, step.claim(), LifecycleWriter::tuple);
    // this member is required, even if no requester may take the step
    members.put(LifecycleReader.TO, written(step.to(), Json.Str::new));
    put(members, LifecycleReader.ACTION, step.action(), Json.Str::new);
    put(members, LifecycleReader.EFFECT, step.effect().map(Effect::name), Json.Str::new);
    return members;
  }

  /** Writes a step id: a number if it is one. */
  private static Json id(String id) {
    return id.matches("0|[1-9][0-9]*") ? new Json.Num(id) : new Json.Str(id);
  }

  private static Json tuple(ClaimStates states) {
    return texts(List.of(states.into(), states.revertTo()));
  }

  private static Json texts(List<String> texts) {
    return new Json.Array(texts.stream().<Json>map(Json.Str::new).toList());
  }

  private static <T> void put(
      Map<String, Json> members, String field, PerRequester<T> values, Function<T, Json> write) {
    if (values.values().findAny().isPresent()) {
      members.put(field, written(values, write));
    }
  }

  /** Writes one value for all requesters, or one for each named requester. */
  private static <T> Json written(PerRequester<T> values, Function<T, Json> write) {
    return values
        .all()
        .map(write)
        .orElseGet(
            () -> {
              var named = new LinkedHashMap<String, Json>();
              values
                  .entries()
                  .forEach(
                      entry ->
                          named.put(entry.requester().orElseThrow(), write.apply(entry.value())));
              return new Json.Obj(named);
            });
  }
}
