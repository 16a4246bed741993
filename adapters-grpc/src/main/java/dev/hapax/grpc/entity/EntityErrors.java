package dev.hapax.grpc.entity;

import com.google.rpc.Code;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.v1.ErrorReason;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Errors about entities. */
final class EntityErrors {
  private EntityErrors() {}

  static RuntimeException notFound(EntityId id) {
    return notFound(id.lifecycle(), id.id());
  }

  static RuntimeException notFound(String lifecycle, String id) {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_ENTITY_NOT_FOUND,
        GrpcErrors.cut(
            "no entity \"%s\" of lifecycle \"%s\" in this workspace".formatted(id, lifecycle)),
        Map.of());
  }

  static Entity required(EntityId id, Optional<Entity> found) {
    return found.orElseThrow(() -> notFound(id));
  }

  static RuntimeException versionConflict(Entity entity) {
    return GrpcErrors.error(
        Code.ABORTED,
        ErrorReason.ERROR_REASON_CONCURRENCY_ERROR,
        GrpcErrors.cut(
            String.format(
                Locale.ROOT,
                "entity \"%s\" has version %d and is \"%s\" now; read it and retry with this version",
                entity.id().id(),
                entity.version(),
                entity.status())),
        Map.of("version", String.valueOf(entity.version())));
  }

  static RuntimeException claimed(Entity entity) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_ENTITY_CLAIMED,
        GrpcErrors.cut(
            "entity \"%s\" is claimed and \"%s\"; delete it when the claim has ended, or release it"
                    .formatted(entity.id().id(), entity.status())
                + " with ReleaseClaim first"),
        Map.of("status", GrpcErrors.cut(entity.status())));
  }

  static RuntimeException notClaimed(Entity entity) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_NOT_CLAIMED,
        GrpcErrors.cut(
            "entity \"%s\" is \"%s\" and not claimed".formatted(entity.id().id(), entity.status())),
        Map.of("status", GrpcErrors.cut(entity.status())));
  }
}
