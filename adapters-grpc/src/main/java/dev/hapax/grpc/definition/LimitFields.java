package dev.hapax.grpc.definition;

import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.StepDefinition.Work;
import dev.hapax.domain.json.JsonPointer;
import dev.hapax.grpc.call.FieldReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The limits of a step or definition. */
final class LimitFields {
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
      limits.add(
          new Limit(sent.get(i).getName(), key(at, sent.get(i)), sent.get(i).getMaxRunning()));
    }
    return FieldReader.read(path, limits, Work::requireLimits);
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
    switch (limit.key()) {
      case Limit.NoKey() -> {}
      case Limit.InputKey(var pointer) -> message.setInput(pointer.text());
      case Limit.LabelKey(var label) -> message.setLabel(label);
    }
    return message.build();
  }
}
