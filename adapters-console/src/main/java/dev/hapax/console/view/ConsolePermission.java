package dev.hapax.console.view;

import dev.hapax.v1.Role;

/**
 * The controls that the console offers only to permitted visitors. The server refuses the calls of
 * others anyway.
 */
public enum ConsolePermission {
  /** Signal runs. */
  CALL,
  /**
   * Cancel, pause, resume, retry and settle runs, resolve operations, release claims, sweep, set
   * limits.
   */
  OPERATE;

  boolean isOf(Role role) {
    return switch (role) {
      case ROLE_ADMIN -> true;
      case ROLE_APPLICATION, ROLE_WORKER -> this == CALL;
      case ROLE_OPERATOR -> this == OPERATE;
      case ROLE_VIEWER, ROLE_DEPLOYER, ROLE_WEBHOOK, ROLE_UNSPECIFIED, UNRECOGNIZED -> false;
    };
  }
}
