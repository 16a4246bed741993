package dev.hapax.domain.security;

import static dev.hapax.domain.security.Permission.CALL;
import static dev.hapax.domain.security.Permission.DEFINE;
import static dev.hapax.domain.security.Permission.OBSERVE;
import static dev.hapax.domain.security.Permission.OPERATE;
import static dev.hapax.domain.security.Permission.SIGNAL_HOOK;
import static dev.hapax.domain.security.Permission.WORK;

import dev.hapax.domain.InvalidValueException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A named set of permissions. Roles are not ordered: none contains another by rank. */
public enum Role {
  VIEWER(OBSERVE),
  APPLICATION(OBSERVE, CALL, SIGNAL_HOOK),
  /** Workers also start and signal runs. */
  WORKER(OBSERVE, CALL, SIGNAL_HOOK, WORK),
  OPERATOR(OBSERVE, OPERATE),
  DEPLOYER(OBSERVE, DEFINE),
  ADMIN(Permission.values()),
  /** A sender of webhooks, which cannot even read. */
  WEBHOOK(SIGNAL_HOOK);

  private final Set<Permission> permissions;

  Role(Permission... permissions) {
    this.permissions = Set.of(permissions);
  }

  public boolean permits(Permission permission) {
    return permissions.contains(permission);
  }

  /** Parses the lower-case name of a role. */
  public static Role parse(String text) {
    return Arrays.stream(values())
        .filter(role -> role.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidValueException(
                    "must be one of "
                        + Arrays.stream(values())
                            .map(Role::toString)
                            .collect(Collectors.joining(", "))));
  }

  /** Returns the lower-case name. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
