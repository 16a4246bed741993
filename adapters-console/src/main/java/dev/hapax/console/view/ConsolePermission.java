package dev.hapax.console.view;

import dev.hapax.v1.Role;

/** What the console offers only to those who may do it. The server refuses it to others anyway. */
public enum ConsolePermission {
  /** Signal runs. */
  CALL,
  /** Cancel, pause, resume and retry runs, resolve operations, release claims, sweep. */
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
