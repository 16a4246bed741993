package dev.hapax.client;

import dev.hapax.v1.Definition;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Definitions in memory. */
public final class FakeDefinitions extends DefinitionServiceGrpc.DefinitionServiceImplBase {

  private final Faults faults;
  private final Map<String, RegisterDefinitionRequest> registered = new LinkedHashMap<>();

  public FakeDefinitions(Faults faults) {
    this.faults = faults;
  }

  @Override
  public void registerDefinition(
      RegisterDefinitionRequest request, StreamObserver<RegisterDefinitionResponse> answer) {
    faults.serve(
        "register",
        answer,
        reply -> {
          var first =
              registered.putIfAbsent(request.getName() + "/" + request.getVersion(), request);
          if (first != null && !first.equals(request)) {
            throw Status.ALREADY_EXISTS.asRuntimeException();
          }
          reply.accept(RegisterDefinitionResponse.newBuilder().setAlready(first != null).build());
        });
  }

  @Override
  public void getDefinition(
      GetDefinitionRequest request, StreamObserver<GetDefinitionResponse> answer) {
    faults.serve(
        "definition",
        answer,
        reply -> {
          RegisterDefinitionRequest found = find(request.getName(), request.getVersion());
          if (found == null) {
            throw Status.NOT_FOUND.asRuntimeException();
          }
          reply.accept(
              GetDefinitionResponse.newBuilder()
                  .setDefinition(
                      Definition.newBuilder()
                          .setName(found.getName())
                          .setVersion(found.getVersion())
                          .addAllSteps(found.getStepsList())
                          .addAllLimits(found.getLimitsList()))
                  .build());
        });
  }

  private @Nullable RegisterDefinitionRequest find(String name, String version) {
    return registered.get(name + "/" + version);
  }

  public RegisterDefinitionRequest registered(String name, String version) {
    return Objects.requireNonNull(find(name, version));
  }
}
