package dev.hapax.domain.run;

/**
 * The agent that changed a record: a worker, a client or the server.
 *
 * @param name of the worker or client; {@code server} for this server
 * @param nonce of the grant under which it acted; 0 = none
 */
public record Actor(String name, long nonce) {
  public static final Actor SERVER = new Actor("server", 0);

  /** A caller by its optional name; empty = {@code client}. */
  public static Actor caller(String name) {
    return new Actor(name.isEmpty() ? "client" : name, 0);
  }

  static Actor holder(TaskGrant grant) {
    return new Actor(grant.worker(), grant.nonce());
  }
}
