package dev.hapax.grpc.run;

import com.google.protobuf.Empty;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;

/** Decodes and encodes signal filters. */
final class SignalFilters {
  private SignalFilters() {}

  /**
   * Decodes a filter.
   *
   * @param path the path of its field
   */
  static SignalFilter read(String path, dev.hapax.v1.SignalFilter sent) {
    return switch (sent.getFilterCase()) {
      case TYPE -> FieldReader.read(path + ".type", sent.getType(), SignalFilter.OfType::new);
      case HOOK_NAME ->
          FieldReader.read(path + ".hook_name", sent.getHookName(), SignalFilter.OfHookName::new);
      case ANY -> new SignalFilter.Any();
      case HOOK ->
          new SignalFilter.OfHook(
              FieldReader.read(path + ".hook", sent.getHook(), HookFingerprint::new));
      case FILTER_NOT_SET ->
          throw new InvalidFieldException(path + ".filter", "must be type, hook_name, any or hook");
    };
  }

  static dev.hapax.v1.SignalFilter encode(SignalFilter filter) {
    var message = dev.hapax.v1.SignalFilter.newBuilder();
    return switch (filter) {
      case SignalFilter.Any() -> message.setAny(Empty.getDefaultInstance()).build();
      case SignalFilter.OfType(var type) -> message.setType(type).build();
      case SignalFilter.OfHookName(var name) -> message.setHookName(name).build();
      case SignalFilter.OfHook(var hook) -> message.setHook(hook.text()).build();
    };
  }
}
