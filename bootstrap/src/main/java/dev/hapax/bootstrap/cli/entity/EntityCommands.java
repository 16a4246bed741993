package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ReleaseClaimResponse;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** {@code hapax entity} and {@code hapax claim}. */
public final class EntityCommands {
  private static final int NO_SUCH_ENTITY = 3;

  private EntityCommands() {}

  /** Adds {@code hapax entity}. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("entity", "Create, show and delete entities that follow a lifecycle.")
        .addTo(root, environment, create(), get(), list(), events(), delete());
  }

  /** Adds {@code hapax claim}. */
  public static void addClaimsTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("claim", "List held entities, operations and runs, and release claims.")
        .addTo(root, environment, listClaims(), releaseClaim());
  }

  private static RpcCommand entity(RpcCommand command) {
    return command
        .argument("lifecycle", "LIFECYCLE", "Name of the lifecycle, such as billing.")
        .argument("entity_id", "ID", "ID of the entity, such as invoice-17.");
  }

  private static RpcCommand change(RpcCommand command) {
    return entity(command)
        .required("--reason", "TEXT", "Reason, recorded in the history of the entity.")
        .option(
            "--expected-version",
            "N",
            "Fail unless the entity has this version. Default: any version")
        .key(
            "--request-id",
            "request_id",
            "Idempotency key of the change, to repeat it after a lost answer. Default: a new one");
  }

  private static Subcommand create() {
    return RpcCommand.of(
            "create",
            "Create an entity that follows a lifecycle, and show it.",
            "An existing entity is not changed.")
        .with(EntityCommands::entity)
        .required(
            "--status",
            "STATUS",
            "Initial status: a status of the lifecycle that is not a claim state.")
        .option("--reason", "TEXT", "Reason, recorded in the history of the entity.")
        .absent("no such lifecycle")
        .calls(EntityServiceGrpc.getCreateEntityMethod())
        .shows(
            CreateEntityResponse::getEntity,
            response -> response.getAlready() ? "already exists; current state:" : "",
            EntityText::details);
  }

  private static Subcommand get() {
    return RpcCommand.of("get", "Show an entity and its holder.")
        .with(EntityCommands::entity)
        .absent("no such entity")
        .calls(EntityServiceGrpc.getGetEntityMethod())
        .shows(GetEntityResponse::getEntity, EntityText::details);
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List entities, ordered by lifecycle and ID.")
        .option("--lifecycle", "NAME", "Only entities that follow this lifecycle.")
        .option("--status", "statuses", "STATUS", "Only entities in this status; repeatable.")
        .calls(EntityServiceGrpc.getListEntitiesMethod())
        .lists(ListEntitiesResponse::getEntitiesList, EntityText.COLUMNS, "no entities");
  }

  private static Subcommand events() {
    return RpcCommand.of("events", "Print the history of an entity, oldest event first.")
        .with(EntityCommands::entity)
        .option(
            "--after",
            "after_version",
            "VERSION",
            "Only events after this version. Default: all events")
        .absent("no such entity")
        .calls(EntityServiceGrpc.getListEntityEventsMethod())
        .streams(ListEntityEventsResponse::getEventsList, EntityEventText::line);
  }

  private static Subcommand delete() {
    return RpcCommand.of(
            "delete",
            "Delete an entity that is not claimed, with its history. The event of the deletion and"
                + " the runs of its after-effects are kept.")
        .with(EntityCommands::change)
        .absent("no such entity", "failure, or the entity is claimed")
        .calls(EntityServiceGrpc.getDeleteEntityMethod())
        .prints(
            call -> {
              var request = call.request();
              var response = call.response();
              call.print(response, (deleted, _) -> List.of(text(request, deleted)));
              return response.getDeleted() ? ExitCode.OK : NO_SUCH_ENTITY;
            });
  }

  private static String text(DeleteEntityRequest request, DeleteEntityResponse response) {
    if (!response.getDeleted()) {
      return "no entity \"%s\" of lifecycle \"%s\""
          .formatted(request.getEntityId(), request.getLifecycle());
    }
    return response.getAlready() ? "already deleted with this request id" : "deleted";
  }

  private static Subcommand listClaims() {
    return RpcCommand.of(
            "list",
            "List claimed entities, held operations, and runs that wait for an operator, with the"
                + " component that frees each one.")
        .option("--kind", "kinds", "KIND", "Only this kind: ${COMPLETION-CANDIDATES}; repeatable.")
        .option("--lifecycle", "NAME", "Only entities that follow this lifecycle.")
        .age("--older-than", "since_before", "Only claims older than this, such as 5m or 48h.")
        .calls(EntityServiceGrpc.getListClaimsMethod())
        .lists(ListClaimsResponse::getClaimsList, ClaimText.COLUMNS, "no claims");
  }

  private static Subcommand releaseClaim() {
    return RpcCommand.of(
            "release",
            "Release the claim of an entity and show the entity. It reverts to its former status"
                + " or, with --outcome COMPLETE, moves on as after a success. Later calls of the"
                + " holder are rejected; its effects on other systems stay.")
        .with(EntityCommands::change)
        .option(
            "--outcome",
            "OUTCOME",
            "Outcome of the action: REVERT, it was not done; COMPLETE, it was done, and its"
                + " after-effect starts. Default: REVERT")
        .absent("no such entity", "failure, or the entity has no holder")
        .calls(EntityServiceGrpc.getReleaseClaimMethod())
        .shows(
            ReleaseClaimResponse::getEntity,
            response ->
                response.getAlready()
                    ? "already released with this request id; current state:"
                    : "",
            EntityText::details);
  }
}
