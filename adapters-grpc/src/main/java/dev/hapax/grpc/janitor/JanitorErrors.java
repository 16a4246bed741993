package dev.hapax.grpc.janitor;

import com.google.rpc.Code;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.grpc.call.Errors;
import dev.hapax.v1.ErrorReason;
import java.util.Map;

/** The errors of JanitorService. */
final class JanitorErrors {
  private JanitorErrors() {}

  static RuntimeException notFound(String module) {
    return Errors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_JANITOR_NOT_FOUND,
        Errors.cut("no janitor is declared for module \"%s\" in this workspace".formatted(module)),
        Map.of());
  }

  /**
   * The janitor is of the other kind.
   *
   * @param mode which it is
   */
  static RuntimeException mode(String module, JanitorMode mode) {
    var message =
        switch (mode) {
          case HOSTED -> "the janitor of module \"%s\" is hosted: there is nothing to poll for";
          case REMOTE -> "the janitor of module \"%s\" is remote: the module looks by itself";
        };
    return Errors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_JANITOR_MODE,
        Errors.cut(message.formatted(module)),
        Map.of("module", Errors.cut(module), "mode", mode.name()));
  }
}
