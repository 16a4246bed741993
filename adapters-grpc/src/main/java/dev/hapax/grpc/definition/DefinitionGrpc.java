package dev.hapax.grpc.definition;

import com.google.rpc.Code;
import dev.hapax.application.definition.Definitions;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.Unary;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListDefinitionsResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** DefinitionService: decodes, calls, encodes. */
public final class DefinitionGrpc implements DefinitionServiceGrpc.AsyncService, BindableService {
  private final Definitions definitions;
  private final GatedRegistrations registrations;

  public DefinitionGrpc(Definitions definitions, GatedRegistrations registrations) {
    this.definitions = definitions;
    this.registrations = registrations;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return DefinitionServiceGrpc.bindService(this);
  }

  @Override
  public void registerDefinition(
      RegisterDefinitionRequest request, StreamObserver<RegisterDefinitionResponse> caller) {
    Unary.respond(
        caller,
        () -> DefinitionDecoding.command(request),
        registrations::register,
        DefinitionGrpc::registered);
  }

  private static RegisterDefinitionResponse registered(
      RegisterDefinition command, RegisterOutcome outcome) {
    return switch (outcome) {
      case RegisterOutcome.Registered(_, var already) ->
          RegisterDefinitionResponse.newBuilder().setAlready(already).build();
      case RegisterOutcome.Different(var registered) ->
          throw GrpcErrors.error(
              Code.ALREADY_EXISTS,
              ErrorReason.ERROR_REASON_DEFINITION_EXISTS,
              "version \"%s\" of \"%s\" is registered with other steps: %s; register another version"
                  .formatted(
                      registered.id().version(),
                      registered.id().name(),
                      DefinitionDifference.text(registered, command)),
              Map.of("name", registered.id().name(), "version", registered.id().version()));
    };
  }

  @Override
  public void getDefinition(
      GetDefinitionRequest request, StreamObserver<GetDefinitionResponse> caller) {
    Unary.respond(
        caller,
        () ->
            find(
                new DefinitionName(
                    FieldReader.workspace(request.getWorkspace()), request.getName()),
                FieldReader.optional(request.getVersion())),
        found ->
            GetDefinitionResponse.newBuilder()
                .setDefinition(
                    DefinitionEncoding.definition(
                        required(found, request.getName(), request.getVersion())))
                .build());
  }

  private CompletableFuture<Optional<Definition>> find(
      DefinitionName name, Optional<String> version) {
    return version
        .map(v -> definitions.find(name.version(v)))
        .orElseGet(() -> definitions.latest(name));
  }

  private static Definition required(Optional<Definition> found, String name, String version) {
    return found.orElseThrow(() -> notFound(name, version));
  }

  /** The error that a definition does not exist; an empty version stands for all. */
  public static StatusRuntimeException notFound(String name, String version) {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND,
        version.isEmpty()
            ? "no definition \"%s\" in this workspace".formatted(name)
            : "no version \"%s\" of definition \"%s\" in this workspace".formatted(version, name),
        Map.of());
  }

  @Override
  public void listDefinitions(
      ListDefinitionsRequest request, StreamObserver<ListDefinitionsResponse> caller) {
    Unary.respond(
        caller, () -> definitions.list(DefinitionPages.query(request)), DefinitionPages::page);
  }
}
