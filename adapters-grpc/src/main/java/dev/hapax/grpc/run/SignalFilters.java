package dev.hapax.grpc.run;

import com.google.protobuf.Empty;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.SignalFilterFields;

/** Decodes and encodes signal filters. */
final class SignalFilters {
  private SignalFilters() {}

  /**
   * Decodes a filter.
   *
   * @param path the path of its field
   */
  static SignalFilter read(String path, dev.hapax.v1.SignalFilter sent) {
    if (sent.hasAny()) {
      SignalFilterFields.requireUnset(
          path + ".any", sent.getType(), sent.getHookName(), sent.getHook());
      return new SignalFilter.Any();
    }
    if (!sent.getHook().isEmpty()) {
      SignalFilterFields.requireUnset(path + ".hook", sent.getType(), sent.getHookName());
      return new SignalFilter.OfHook(
          FieldReader.read(path + ".hook", sent.getHook(), HookFingerprint::new));
    }
    return SignalFilterFields.read(sent.getType(), sent.getHookName())
        .orElseThrow(
            () -> new InvalidFieldException(path, "must have type, hook_name, any or hook"));
  }

  static dev.hapax.v1.SignalFilter encode(SignalFilter filter) {
    var message = dev.hapax.v1.SignalFilter.newBuilder();
    return switch (filter) {
      case SignalFilter.Any() -> message.setAny(Empty.getDefaultInstance()).build();
      case SignalFilter.OfType(var type) -> message.setType(type).build();
      case SignalFilter.OfHookName(var name, var type) ->
          message.setHookName(name).setType(type.orElse("")).build();
      case SignalFilter.OfHook(var hook) -> message.setHook(hook.text()).build();
    };
  }
}
