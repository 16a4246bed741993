package dev.hapax.grpc.janitor;

import com.google.rpc.Code;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.v1.ErrorReason;
import java.util.Map;

/** Errors of JanitorService. */
final class JanitorErrors {
  private JanitorErrors() {}

  static RuntimeException notFound(String module) {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_JANITOR_NOT_FOUND,
        GrpcErrors.cut(
            "no janitor is declared for module \"%s\" in this workspace".formatted(module)),
        Map.of());
  }

  /**
   * The error that a call does not fit the mode of the janitor.
   *
   * @param mode the janitor's mode
   */
  static RuntimeException mode(String module, JanitorMode mode) {
    var message =
        switch (mode) {
          case HOSTED ->
              "the janitor of module \"%s\" is hosted: the server sweeps, and the module must not poll";
          case REMOTE ->
              "the janitor of module \"%s\" is remote: the module polls, and the server does not sweep";
        };
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_JANITOR_MODE,
        GrpcErrors.cut(message.formatted(module)),
        Map.of("module", GrpcErrors.cut(module), "mode", mode.name()));
  }
}
