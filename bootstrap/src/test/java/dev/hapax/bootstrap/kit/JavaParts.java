package dev.hapax.bootstrap.kit;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.client.BranchOutcome;
import dev.hapax.client.Codec;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PartOptions;
import dev.hapax.client.Retry;
import dev.hapax.client.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The parts of a work that are parts of a workflow. */
final class JavaParts {
  private static final int MAX_ATTEMPTS = 8;
  private static final int BRANCHES = 10;

  private JavaParts() {}

  /** The recorded value, as JSON. */
  static String record(JavaWork work, String name, Struct part) {
    return work.held()
        .task()
        .record(name, options(work, part), id -> work.runAll(part, "work", id));
  }

  private static PartOptions<String> options(JavaWork work, Struct part) {
    var options = PartOptions.of(Codec.jsonText());
    if (part.containsFields("retry")) {
      options = options.retry(retry(part.getFieldsOrThrow("retry").getStructValue()));
    }
    if (part.containsFields("timeout_ms")) {
      options = options.timeout(JavaWork.millis(part, "timeout_ms"));
    }
    if (part.containsFields("verify")) {
      options = options.verify(id -> verify(work, part, id));
    }
    return part.containsFields("at_most_once") ? options.atMostOnce() : options;
  }

  /** Empty = the part was not done. */
  private static Optional<String> verify(JavaWork work, Struct part, String id) throws Exception {
    var parts = part.getFieldsOrThrow("verify").getListValue().getValuesList();
    return parts.getFirst().getStructValue().containsFields("not_done")
        ? Optional.empty()
        : Optional.of(work.runAll(part, "verify", id));
  }

  private static Retry retry(Struct fields) {
    var attempts = (int) number(fields, "max_attempts", MAX_ATTEMPTS);
    var retry = attempts < 0 ? Retry.unlimited() : Retry.attempts(attempts);
    if (fields.containsFields("initial_ms")) {
      retry =
          retry.backoff(
              JavaWork.millis(fields, "initial_ms"),
              number(fields, "factor", 2),
              Duration.ofMillis((long) number(fields, "max_ms", 60_000)));
    }
    if (fields.containsFields("give_up_after_ms")) {
      retry = retry.giveUpAfter(JavaWork.millis(fields, "give_up_after_ms"));
    }
    return retry.never(texts(fields, "non_retryable")).only(texts(fields, "retry_only"));
  }

  private static double number(Struct fields, String field, double absent) {
    return fields.containsFields(field) ? fields.getFieldsOrThrow(field).getNumberValue() : absent;
  }

  private static String[] texts(Struct fields, String field) {
    return fields
        .getFieldsOrDefault(field, Value.getDefaultInstance())
        .getListValue()
        .getValuesList()
        .stream()
        .map(Value::getStringValue)
        .toArray(String[]::new);
  }

  /** The list of the values of a map, as JSON. */
  static String map(JavaWork work, String name, Struct part) throws Exception {
    var task = work.held().task();
    var keys = List.of(texts(part, "keys"));
    var concurrency = (int) number(part, "concurrency", BRANCHES);
    var values =
        part.containsFields("settled")
            ? task
                .mapSettled(
                    name,
                    keys,
                    Function.identity(),
                    concurrency,
                    (branch, _) -> branch(work, part, branch))
                .stream()
                .map(JavaParts::settled)
                .toList()
            : task.map(
                name,
                keys,
                Function.identity(),
                concurrency,
                (branch, _) -> branch(work, part, branch));
    return values.stream().collect(Collectors.joining(", ", "[", "]"));
  }

  private static String branch(JavaWork work, Struct part, Task branch) throws Exception {
    return new JavaWork(work.program(), work.ledger(), JavaWork.Held.of(branch), work.id())
        .runAll(part, "work", work.id());
  }

  private static String settled(BranchOutcome<String> outcome) {
    return switch (outcome) {
      case BranchOutcome.Returned<String>(var value) -> "{\"value\": " + value + "}";
      case BranchOutcome.Failed<String>(var exception) ->
          "{\"error\": "
              + KitJson.quoted(
                  exception instanceof HapaxException.PartFailed failed
                      ? failed.failure().code()
                      : String.valueOf(exception.getMessage()))
              + "}";
    };
  }

  /** JSON by the name of the member. */
  static Map<String, dev.hapax.client.Value> members(Struct part, String field) {
    var members = new HashMap<String, dev.hapax.client.Value>();
    part.getFieldsOrThrow(field)
        .getStructValue()
        .getFieldsMap()
        .forEach((member, value) -> members.put(member, JavaContract.json(value)));
    return members;
  }
}
