package dev.hapax.grpc.definition;

import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.StepDefinition.Work;
import dev.hapax.domain.json.JsonPointer;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The limits of a step or definition. */
public final class LimitFields {
  private LimitFields() {}

  /**
   * Decodes them.
   *
   * @param path of the list
   */
  static List<Limit> read(String path, List<dev.hapax.v1.Limit> sent) {
    var limits = new ArrayList<Limit>();
    for (var i = 0; i < sent.size(); i++) {
      var at = String.format(Locale.ROOT, "%s[%d]", path, i);
      limits.add(limit(at, sent.get(i)));
    }
    return FieldReader.read(path, limits, Work::requireLimits);
  }

  private static Limit limit(String at, dev.hapax.v1.Limit sent) {
    var per = Durations.decode(sent.hasPer(), sent.getPer());
    var rate = rate(at + ".", sent.getMaxStarts(), per);
    return FieldReader.read(
        at + ".max_running",
        sent.getMaxRunning(),
        max -> new Limit(sent.getName(), key(at, sent), max, rate));
  }

  /**
   * Decodes a rate.
   *
   * @param prefix of the path of its fields
   */
  public static Optional<Rate> rate(String prefix, int maxStarts, Optional<Duration> per) {
    if (maxStarts == 0) {
      if (per.isPresent()) {
        throw new InvalidFieldException(prefix + "per", "is only allowed with max_starts");
      }
      return Optional.empty();
    }
    return Optional.of(
        new Rate(
            maxStarts,
            per.orElseThrow(
                () -> new InvalidFieldException(prefix + "per", "is required with max_starts"))));
  }

  private static Limit.Key key(String at, dev.hapax.v1.Limit sent) {
    return switch (sent.getKeyCase()) {
      case INPUT ->
          new Limit.InputKey(FieldReader.read(at + ".input", sent.getInput(), JsonPointer::new));
      case LABEL -> new Limit.LabelKey(sent.getLabel());
      case KEY_NOT_SET -> new Limit.NoKey();
    };
  }

  static dev.hapax.v1.Limit message(Limit limit) {
    var message =
        dev.hapax.v1.Limit.newBuilder().setName(limit.name()).setMaxRunning(limit.maxRunning());
    limit
        .rate()
        .ifPresent(
            rate -> message.setMaxStarts(rate.starts()).setPer(Durations.encode(rate.per())));
    switch (limit.key()) {
      case Limit.NoKey() -> {}
      case Limit.InputKey(var pointer) -> message.setInput(pointer.text());
      case Limit.LabelKey(var label) -> message.setLabel(label);
    }
    return message.build();
  }
}
