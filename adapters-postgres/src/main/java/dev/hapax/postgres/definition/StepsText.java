package dev.hapax.postgres.definition;

import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.StepDefinition.Code;
import dev.hapax.domain.definition.StepDefinition.Kind;
import dev.hapax.domain.definition.StepDefinition.Signal;
import dev.hapax.domain.definition.StepDefinition.Task;
import dev.hapax.domain.definition.StepDefinition.Timer;
import dev.hapax.domain.definition.StepDefinition.Work;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.JsonPointer;
import dev.hapax.postgres.json.StoredJson;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The steps of a definition as JSON text: a step has its name and one member for its kind. */
final class StepsText {
  private static final String NAME = "name";
  private static final String TASK = "task";
  private static final String CODE = "code";
  private static final String TIMER = "timer";
  private static final String AFTER = "after";
  private static final String AT = "at";
  private static final String SIGNAL = "signal";
  private static final String TYPE = "type";
  private static final String HOOK_NAME = "hook_name";
  private static final String TIMEOUT = "timeout";
  private static final String QUEUE = "queue";
  private static final String LEASE = "lease";
  private static final String RETRY = "retry";
  private static final String MAX_ATTEMPTS = "max_attempts";
  private static final String INITIAL = "initial";
  private static final String FACTOR = "factor";
  private static final String MAX = "max";
  private static final String NON_RETRYABLE = "non_retryable";
  private static final String RETRY_ONLY = "retry_only";
  private static final String GIVE_UP_AFTER = "give_up_after";
  private static final String AT_MOST_ONCE = "at_most_once";
  private static final String PART_RETRY = "part_retry";
  private static final String ATTEMPT_TIMEOUT = "attempt_timeout";
  private static final String LIMITS = "limits";
  private static final String INPUT = "input";
  private static final String LABEL = "label";
  private static final String MAX_RUNNING = "max_running";
  private static final String MAX_STARTS = "max_starts";
  private static final String PER = "per";

  private StepsText() {}

  static String print(List<StepDefinition> steps) {
    return StoredJson.print(new Json.Array(steps.stream().<Json>map(StepsText::step).toList()));
  }

  /** The limits of a definition. */
  static Json.Array limits(List<Limit> limits) {
    return new Json.Array(limits.stream().<Json>map(StepsText::limit).toList());
  }

  static List<Limit> limits(Json limits) {
    return ((Json.Array) limits)
        .elements().stream().map(limit -> limit(new Members(limit))).toList();
  }

  static List<StepDefinition> parse(String text) {
    return ((Json.Array) StoredJson.parse(text))
        .elements().stream().map(step -> step(new Members(step))).toList();
  }

  private static Json.Obj step(StepDefinition step) {
    var members = new LinkedHashMap<String, Json>();
    members.put(NAME, text(step.name()));
    switch (step.kind()) {
      case Task task -> members.put(TASK, task(task));
      case Code code -> members.put(CODE, code(code));
      case Timer(var end) -> members.put(TIMER, new Json.Obj(Map.of(nameOf(end), end(end))));
      case Signal signal -> members.put(SIGNAL, signal(signal));
    }
    return new Json.Obj(members);
  }

  private static String nameOf(Timer.End end) {
    return switch (end) {
      case Timer.After _ -> AFTER;
      case Timer.At _ -> AT;
    };
  }

  private static Json end(Timer.End end) {
    return switch (end) {
      case Timer.After(var duration) -> text(duration);
      case Timer.At(var time) -> text(time);
    };
  }

  private static Json.Obj signal(Signal signal) {
    var members = new LinkedHashMap<String, Json>();
    switch (signal.filter()) {
      case SignalFilter.Any() -> members.put(TYPE, text(""));
      case SignalFilter.OfType(var type) -> members.put(TYPE, text(type));
      case SignalFilter.OfHookName(var name, var type) -> {
        members.put(HOOK_NAME, text(name));
        type.ifPresent(of -> members.put(TYPE, text(of)));
      }
    }
    signal.timeout().ifPresent(timeout -> members.put(TIMEOUT, text(timeout)));
    return new Json.Obj(members);
  }

  private static Json.Obj work(Work work) {
    var members = new LinkedHashMap<String, Json>();
    members.put(QUEUE, text(work.queue()));
    members.put(LEASE, text(work.lease()));
    members.put(RETRY, retry(work.retry()));
    work.attemptTimeout().ifPresent(time -> members.put(ATTEMPT_TIMEOUT, text(time)));
    if (!work.limits().isEmpty()) {
      members.put(LIMITS, limits(work.limits()));
    }
    return new Json.Obj(members);
  }

  private static Json.Obj limit(Limit limit) {
    var members = new LinkedHashMap<String, Json>();
    members.put(NAME, text(limit.name()));
    switch (limit.key()) {
      case Limit.NoKey() -> {}
      case Limit.InputKey(var pointer) -> members.put(INPUT, text(pointer.text()));
      case Limit.LabelKey(var label) -> members.put(LABEL, text(label));
    }
    members.put(MAX_RUNNING, new Json.Num(Integer.toString(limit.maxRunning())));
    limit
        .rate()
        .ifPresent(
            rate -> {
              members.put(MAX_STARTS, new Json.Num(Integer.toString(rate.starts())));
              members.put(PER, text(rate.per()));
            });
    return new Json.Obj(members);
  }

  private static Json.Obj task(Task task) {
    var members = new LinkedHashMap<>(work(task.work()).members());
    if (task.atMostOnce()) {
      members.put(AT_MOST_ONCE, new Json.Bool(true));
    }
    return new Json.Obj(members);
  }

  private static Json.Obj code(Code code) {
    var members = new LinkedHashMap<>(work(code.work()).members());
    if (!code.partRetry().equals(RetryPolicy.OF_PARTS)) {
      members.put(PART_RETRY, retry(code.partRetry()));
    }
    return new Json.Obj(members);
  }

  private static Json.Obj retry(RetryPolicy policy) {
    var members = new LinkedHashMap<String, Json>();
    members.put(MAX_ATTEMPTS, new Json.Num(Integer.toString(policy.maxAttempts())));
    members.put(INITIAL, text(policy.initial()));
    members.put(FACTOR, new Json.Num(Double.toString(policy.factor())));
    members.put(MAX, text(policy.max()));
    members.put(NON_RETRYABLE, codes(policy.nonRetryable()));
    if (!policy.retryOnly().isEmpty()) {
      members.put(RETRY_ONLY, codes(policy.retryOnly()));
    }
    policy.giveUpAfter().ifPresent(time -> members.put(GIVE_UP_AFTER, text(time)));
    return new Json.Obj(members);
  }

  private static Json codes(Set<String> codes) {
    return StoredJson.strings(codes.stream().sorted().toList());
  }

  /** Durations and times are printed without loss, as ISO 8601. */
  private static Json text(Object value) {
    return new Json.Str(value.toString());
  }

  private static StepDefinition step(Members step) {
    return new StepDefinition(step.text(NAME), kind(step));
  }

  private static Kind kind(Members step) {
    if (step.has(TASK)) {
      var task = step.of(TASK);
      return new Task(work(task), task.has(AT_MOST_ONCE));
    }
    if (step.has(CODE)) {
      return code(step.of(CODE));
    }
    if (step.has(TIMER)) {
      return new Timer(end(step.of(TIMER)));
    }
    var signal = step.of(SIGNAL);
    return new Signal(filter(signal), signal.optionalDuration(TIMEOUT));
  }

  /** The empty type stands for any signal. */
  private static SignalFilter.OfDefinition filter(Members signal) {
    if (signal.has(HOOK_NAME)) {
      return new SignalFilter.OfHookName(
          signal.text(HOOK_NAME),
          signal.has(TYPE) ? Optional.of(signal.text(TYPE)) : Optional.empty());
    }
    var type = signal.text(TYPE);
    return type.isEmpty() ? new SignalFilter.Any() : new SignalFilter.OfType(type);
  }

  private static Timer.End end(Members timer) {
    return timer.has(AFTER)
        ? new Timer.After(timer.duration(AFTER))
        : new Timer.At(Instant.parse(timer.text(AT)));
  }

  private static Work work(Members work) {
    return new Work(
        work.text(QUEUE),
        work.duration(LEASE),
        retry(work.of(RETRY)),
        work.optionalDuration(ATTEMPT_TIMEOUT),
        work.has(LIMITS) ? limits(work.get(LIMITS)) : List.of());
  }

  private static Limit limit(Members limit) {
    return new Limit(
        limit.text(NAME),
        limit.has(INPUT)
            ? new Limit.InputKey(new JsonPointer(limit.text(INPUT)))
            : limit.has(LABEL) ? new Limit.LabelKey(limit.text(LABEL)) : new Limit.NoKey(),
        Integer.parseInt(limit.number(MAX_RUNNING)),
        limit.has(MAX_STARTS)
            ? Optional.of(new Rate(Integer.parseInt(limit.number(MAX_STARTS)), limit.duration(PER)))
            : Optional.empty());
  }

  private static Code code(Members code) {
    return code.has(PART_RETRY)
        ? new Code(work(code), retry(code.of(PART_RETRY)))
        : new Code(work(code));
  }

  private static RetryPolicy retry(Members retry) {
    return new RetryPolicy(
        Integer.parseInt(retry.number(MAX_ATTEMPTS)),
        retry.duration(INITIAL),
        Double.parseDouble(retry.number(FACTOR)),
        retry.duration(MAX),
        retry.codes(NON_RETRYABLE),
        retry.has(RETRY_ONLY) ? retry.codes(RETRY_ONLY) : Set.of(),
        retry.optionalDuration(GIVE_UP_AFTER));
  }

  /** Reads the members of an object. */
  private record Members(Json object) {
    boolean has(String name) {
      return ((Json.Obj) object).members().containsKey(name);
    }

    Json get(String name) {
      return Optional.ofNullable(((Json.Obj) object).members().get(name))
          .orElseThrow(() -> new IllegalStateException("a step has no " + name));
    }

    Members of(String name) {
      return new Members(get(name));
    }

    String text(String name) {
      return StoredJson.string(get(name));
    }

    String number(String name) {
      return ((Json.Num) get(name)).text();
    }

    Set<String> codes(String name) {
      return Set.copyOf(StoredJson.strings(get(name)));
    }

    Duration duration(String name) {
      return Duration.parse(text(name));
    }

    Optional<Duration> optionalDuration(String name) {
      return has(name) ? Optional.of(duration(name)) : Optional.empty();
    }
  }
}
