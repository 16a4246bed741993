package dev.hapax.grpc.security;

import dev.hapax.v1.JanitorServiceGrpc;
import java.util.List;

/** The name under which the health service has a janitor: {@code SERVICE/WORKSPACE/MODULE}. */
public final class JanitorHealthName {
  private static final String SEPARATOR = "/";
  private static final String PREFIX = JanitorServiceGrpc.SERVICE_NAME + SEPARATOR;

  private JanitorHealthName() {}

  public static String of(String workspace, String module) {
    return PREFIX + workspace + SEPARATOR + module;
  }

  /** Returns the workspace that a name has, which may be invalid; none = it is no janitor. */
  static List<String> workspace(String name) {
    return name.startsWith(PREFIX)
        ? List.of(name.substring(PREFIX.length()).split(SEPARATOR, 2)[0])
        : List.of();
  }
}
