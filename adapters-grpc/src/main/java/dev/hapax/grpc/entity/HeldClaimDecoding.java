package dev.hapax.grpc.entity;

import dev.hapax.application.entity.HeldClaim;
import dev.hapax.application.entity.HeldClaims;
import dev.hapax.application.entity.HeldClaims.Position;
import dev.hapax.application.entity.HeldClaims.Section;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.StuckKind;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.operation.OperationPages;
import dev.hapax.grpc.run.RunPages;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.ListClaimsRequest;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A decoded ListClaims request.
 *
 * @param from empty = the first page
 */
record HeldClaimDecoding(HeldClaims.Query query, Optional<Position> from) {
  private static final Set<StuckKind> ALL =
      Stream.of(ClaimKind.values())
          .filter(
              kind -> kind != ClaimKind.CLAIM_KIND_UNSPECIFIED && kind != ClaimKind.UNRECOGNIZED)
          .map(HeldClaimDecoding::kind)
          .collect(Collectors.toSet());

  static HeldClaimDecoding read(ListClaimsRequest request) {
    var lifecycle = FieldReader.optional(request.getLifecycle());
    var kinds = kinds(request);
    var query =
        new HeldClaims.Query(
            FieldReader.workspace(request.getWorkspace()),
            kinds,
            lifecycle,
            Durations.decode(request.hasSinceBefore(), request.getSinceBefore()),
            Page.size(request.getPageSize()));
    return new HeldClaimDecoding(query, position(query, request.getPageToken()));
  }

  /** The requested kinds, or all. */
  private static Set<StuckKind> kinds(ListClaimsRequest request) {
    var kinds = request.getKindsList();
    return kinds.isEmpty()
        ? ALL
        : kinds.stream().map(HeldClaimDecoding::kind).collect(Collectors.toSet());
  }

  private static StuckKind kind(ClaimKind kind) {
    return switch (kind) {
      case CLAIM_KIND_ENTITY_CLAIMED -> StuckKind.ENTITY_CLAIMED;
      case CLAIM_KIND_ENTITY_RECOVERING -> StuckKind.ENTITY_RECOVERING;
      case CLAIM_KIND_OPERATION_INDETERMINATE -> StuckKind.OPERATION_INDETERMINATE;
      case CLAIM_KIND_RUN_FAILED -> StuckKind.RUN_FAILED;
      case CLAIM_KIND_STEP_IN_DOUBT -> StuckKind.STEP_IN_DOUBT;
      case CLAIM_KIND_RUN_PAUSED -> StuckKind.RUN_PAUSED;
      case CLAIM_KIND_RUN_AWAITING -> StuckKind.RUN_AWAITING;
      case CLAIM_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalStateException("rejected before");
    };
  }

  private static Optional<Position> position(HeldClaims.Query query, String token) {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    for (var section : query.sections()) {
      var prefix = HeldClaimEncoding.prefix(section);
      if (token.startsWith(prefix)) {
        var cursor = cursor(query.workspace(), section, token.substring(prefix.length()));
        return Optional.of(new Position(section, cursor));
      }
    }
    throw new InvalidFieldException("page_token", "must be the next_page_token of an earlier page");
  }

  private static Optional<HeldClaim.Cursor> cursor(
      Workspace workspace, Section section, String token) {
    return switch (section) {
      case ENTITIES ->
          EntityDecoding.position(workspace, token).map(HeldClaim.Cursor.AfterEntity::new);
      case OPERATIONS -> OperationPages.position(token).map(HeldClaim.Cursor.AfterOperation::new);
      case FAILED_RUNS, RUNS_IN_DOUBT, PAUSED_RUNS, AWAITING_RUNS ->
          RunPages.position(token).map(HeldClaim.Cursor.AfterRun::new);
    };
  }
}
