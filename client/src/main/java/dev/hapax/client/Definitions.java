package dev.hapax.client;

import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;

/** Registers and reads definitions of runs. Thread-safe. See {@link Hapax} for exceptions. */
public final class Definitions {

  private final Connection connection;

  Definitions(Connection connection) {
    this.connection = connection;
  }

  /**
   * Registers a version of a definition. Every process may do so at its start.
   *
   * @return false if the version was registered with the same steps before: then nothing changed,
   *     and it does not become the latest
   * @throws HapaxException.Refused with INVALID_FIELD and every broken rule, or with
   *     DEFINITION_EXISTS if this version has other steps
   */
  public boolean register(Definition definition) {
    RegisterDefinitionRequest.Builder request =
        RegisterDefinitionRequest.newBuilder()
            .setName(definition.name())
            .setVersion(definition.version())
            .addAllSteps(definition.message().getStepsList())
            .addAllLimits(definition.message().getLimitsList());
    return register(
        definition.message().hasTimeout()
            ? request.setTimeout(definition.message().getTimeout())
            : request);
  }

  /**
   * As {@link #register(Definition)}, in JSON.
   *
   * @param json the text of a definition file, such as {@code {"name": "order", "version": "1",
   *     "steps": [{"name": "main", "code": {"queue": "orders"}}]}}; at most 1 MiB
   */
  public boolean register(String json) {
    return register(RegisterDefinitionRequest.newBuilder().setJson(json));
  }

  private boolean register(RegisterDefinitionRequest.Builder definition) {
    RegisterDefinitionRequest request =
        definition.setWorkspace(connection.workspace()).setActor(connection.actor()).build();
    return !connection.call(request, RegisterDefinitionResponse.getDefaultInstance()).getAlready();
  }

  /**
   * Returns a version of a definition.
   *
   * @param version empty = the latest registered
   * @throws HapaxException.Refused with DEFINITION_NOT_FOUND
   */
  public Definition get(String name, String version) {
    GetDefinitionRequest request =
        GetDefinitionRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setName(name)
            .setVersion(version)
            .build();
    return new Definition(
        connection.call(request, GetDefinitionResponse.getDefaultInstance()).getDefinition());
  }
}
