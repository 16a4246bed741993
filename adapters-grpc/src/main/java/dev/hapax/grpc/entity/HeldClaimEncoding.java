package dev.hapax.grpc.entity;

import dev.hapax.application.entity.HeldClaim;
import dev.hapax.application.entity.HeldClaims.Position;
import dev.hapax.application.entity.HeldClaims.Section;
import dev.hapax.domain.Page;
import dev.hapax.domain.janitor.StuckKind;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.operation.OperationEncoding;
import dev.hapax.grpc.operation.OperationPages;
import dev.hapax.grpc.run.RunPages;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.ListClaimsResponse;

/** Encodes the responses to ListClaims. */
final class HeldClaimEncoding {
  private HeldClaimEncoding() {}

  static ListClaimsResponse page(Page<HeldClaim, Position> page) {
    var response = ListClaimsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            HeldClaimEncoding::claim,
            (claim, message) ->
                response.addClaims(message).setNextPageToken(token(claim.position())));
    return isAll
        ? response.setNextPageToken(page.next().map(HeldClaimEncoding::token).orElse("")).build()
        : response.build();
  }

  private static dev.hapax.v1.HeldClaim claim(HeldClaim claim) {
    var message =
        dev.hapax.v1.HeldClaim.newBuilder()
            .setKind(kind(claim.kind()))
            .setSince(Durations.encode(claim.since()))
            .setFreedBy(claim.kind().how());
    return switch (claim.subject()) {
      case HeldClaim.OfEntity(var entity, var taken) ->
          message
              .setLeaseUntil(Durations.encode(taken.leaseUntil()))
              .setEntity(EntityEncoding.entity(entity))
              .build();
      case HeldClaim.OfOperation(var operation, _) ->
          message.setOperation(OperationEncoding.summary(operation)).build();
      case HeldClaim.OfRun(var run) -> message.setRunId(run.id().text()).build();
    };
  }

  private static ClaimKind kind(StuckKind kind) {
    return switch (kind) {
      case ENTITY_CLAIMED -> ClaimKind.CLAIM_KIND_ENTITY_CLAIMED;
      case ENTITY_RECOVERING -> ClaimKind.CLAIM_KIND_ENTITY_RECOVERING;
      case OPERATION_INDETERMINATE -> ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE;
      case RUN_FAILED -> ClaimKind.CLAIM_KIND_RUN_FAILED;
      case STEP_IN_DOUBT -> ClaimKind.CLAIM_KIND_STEP_IN_DOUBT;
      case RUN_PAUSED -> ClaimKind.CLAIM_KIND_RUN_PAUSED;
      case RUN_AWAITING -> ClaimKind.CLAIM_KIND_RUN_AWAITING;
      case OPERATION_IN_PROGRESS, TASK_HELD, RUN_DUE, LIFECYCLE_RETIRING ->
          throw new IllegalArgumentException("ListClaims does not list " + kind);
    };
  }

  /** The start of the page tokens of a section. */
  static String prefix(Section section) {
    return section.name() + ".";
  }

  private static String token(Position position) {
    return prefix(position.section()) + position.after().map(HeldClaimEncoding::token).orElse("");
  }

  private static String token(HeldClaim.Cursor cursor) {
    return switch (cursor) {
      case HeldClaim.Cursor.AfterEntity(var entity) -> EntityDecoding.token(entity);
      case HeldClaim.Cursor.AfterOperation(var position) -> OperationPages.token(position);
      case HeldClaim.Cursor.AfterRun(var run) -> RunPages.token(run);
    };
  }
}
