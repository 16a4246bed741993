package dev.hapax.domain.lifecycle;

import dev.hapax.domain.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes a lifecycle so that {@link LifecycleReader} reads it as it is. */
public final class LifecycleWriter {
  private LifecycleWriter() {}

  public static Json.Obj write(Lifecycle lifecycle) {
    var members = new LinkedHashMap<String, Json>();
    members.put(LifecycleReader.NAME, new Json.Str(lifecycle.name()));
    members.put(LifecycleReader.MODULE, new Json.Str(lifecycle.module()));
    members.put(LifecycleReader.ENTITY, new Json.Str(lifecycle.entity()));
    members.put(LifecycleReader.STATUSES, array(lifecycle.statuses(), Json.Str::new));
    members.put(LifecycleReader.STEPS, array(lifecycle.steps(), LifecycleWriter::step));
    return new Json.Obj(members);
  }

  private static <T> Json.Array array(List<T> values, Function<T, Json> each) {
    return new Json.Array(values.stream().map(each).toList());
  }

  private static Json step(LifecycleStep step) {
    var members = new LinkedHashMap<String, Json>();
    step.id().ifPresent(id -> members.put(LifecycleReader.STEP_ID, new Json.Str(id)));
    members.put(LifecycleReader.STEP_KEY, new Json.Str(step.key()));
    members.put(LifecycleReader.STATUS, new Json.Str(step.status()));
    if (step.claim().values().findAny().isPresent()) {
      members.put(LifecycleReader.CLAIM, perRequester(step.claim(), LifecycleWriter::claim));
    }
    // a step has to say it, also if it is for nobody
    members.put(LifecycleReader.TO, perRequester(step.to(), Json.Str::new));
    if (step.action().values().findAny().isPresent()) {
      members.put(LifecycleReader.ACTION, perRequester(step.action(), Json.Str::new));
    }
    if (step.effect().values().findAny().isPresent()) {
      members.put(LifecycleReader.EFFECT, perRequester(step.effect(), Json.Str::new));
    }
    return new Json.Obj(members);
  }

  private static Json claim(ClaimStates claim) {
    return array(List.of(claim.into(), claim.revertTo()), Json.Str::new);
  }

  private static <T> Json perRequester(PerRequester<T> values, Function<T, Json> each) {
    return values
        .all()
        .map(each)
        .orElseGet(
            () ->
                new Json.Obj(
                    values
                        .entries()
                        .collect(
                            Collectors.toMap(
                                entry -> entry.requester().orElseThrow(),
                                entry -> each.apply(entry.value()),
                                (first, _) -> first,
                                LinkedHashMap::new))));
  }
}
