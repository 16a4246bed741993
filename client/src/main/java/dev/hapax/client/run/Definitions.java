package dev.hapax.client.run;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.DefinitionRpcs;
import dev.hapax.v1.Definition;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionRequest;

/**
 * Registers and reads run definitions. Thread-safe. See {@link HapaxClient} for exceptions and
 * retries.
 */
public final class Definitions {

  private final UnaryCalls calls;
  private final String workspace;
  private final String actor;

  /** Internal; see {@link HapaxClient#definitions}. */
  public Definitions(ClientConnection connection) {
    this.calls = connection.unaryCalls();
    this.workspace = connection.options().workspace();
    this.actor = connection.options().actor();
  }

  /**
   * Registers a version of a definition. Every process may do so at its start.
   *
   * @return false if the version was registered with the same steps before: then nothing changed,
   *     and it does not become the latest
   * @throws HapaxException.Refused with INVALID_FIELD and every broken rule, or with
   *     DEFINITION_EXISTS if this version has other steps
   */
  public boolean register(RunDefinition definition) {
    return register(definition.toProto().toBuilder());
  }

  /**
   * Registers a version of a definition in JSON. Every process may do so at its start.
   *
   * @param json the text of a definition file, such as {@code {"name": "order", "version": "1",
   *     "steps": [{"name": "main", "code": {"queue": "orders"}}]}}; at most 1 MiB
   * @return false if the version was registered with the same steps before: then nothing changed,
   *     and it does not become the latest
   * @throws HapaxException.Refused with INVALID_FIELD and every broken rule with its path, or with
   *     DEFINITION_EXISTS if this version has other steps
   */
  public boolean register(String json) {
    return register(RegisterDefinitionRequest.newBuilder().setJson(json));
  }

  private boolean register(RegisterDefinitionRequest.Builder definition) {
    RegisterDefinitionRequest request = definition.setWorkspace(workspace).setActor(actor).build();
    return !UnaryCalls.await(calls.send(DefinitionRpcs.REGISTER_DEFINITION, request)).getAlready();
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
            .setWorkspace(workspace)
            .setName(name)
            .setVersion(version)
            .build();
    return UnaryCalls.await(calls.send(DefinitionRpcs.GET_DEFINITION, request)).getDefinition();
  }
}
