package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A role in some workspaces. A grant that is narrowed to queues or definitions permits only methods
 * that name one of them, and the methods of a task that was polled.
 */
public record RoleGrant(
    Role role, AllowedNames workspaces, AllowedNames queues, AllowedNames definitions) {
  private static final String ROLE = "role";
  private static final String WORKSPACE = "workspace";
  private static final String QUEUE = "queue";
  private static final String DEFINITION = "definition";
  private static final Set<String> KEYS = Set.of(ROLE, WORKSPACE, QUEUE, DEFINITION);

  public RoleGrant {
    if (!queues.isAll() && !role.permits(Permission.WORK)) {
      throw new InvalidValueException(
          "queue can only narrow the roles worker and admin (was %s)".formatted(role));
    }
    if (!queues.isAll() && !definitions.isAll()) {
      throw new InvalidValueException("can be narrowed by queue or by definition, not by both");
    }
  }

  /** Makes a grant of a role in all workspaces. */
  public static RoleGrant everywhere(Role role) {
    return new RoleGrant(
        role, new AllowedNames.All(), new AllowedNames.All(), new AllowedNames.All());
  }

  public boolean permits(Permission permission, String workspace, Target target) {
    return role.permits(permission)
        && workspaces.includes(workspace)
        && switch (target) {
          case Target.Anything() -> !isNarrowed();
          case Target.Queue(var name) -> queues.includes(name) && definitions.isAll();
          case Target.HeldTask() -> definitions.isAll();
          case Target.Definition(var name) -> queues.isAll() && definitions.includes(name);
        };
  }

  /** Whether it covers only some queues or definitions. */
  boolean isNarrowed() {
    return !queues.isAll() || !definitions.isAll();
  }

  /** Parses the text form, such as {@code role=worker workspace=eu,us queue=mail}. */
  public static RoleGrant parse(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    for (var part : text.strip().split("\\s+", -1)) {
      var equals = part.indexOf('=');
      var key = equals < 0 ? part : part.substring(0, equals);
      if (equals < 0 || !KEYS.contains(key)) {
        throw new InvalidValueException(
            "must be like 'role=worker workspace=eu,us queue=mail' (was '%s')".formatted(text));
      }
      if (values.put(key, part.substring(equals + 1)) != null) {
        throw new InvalidValueException("has %s twice".formatted(key));
      }
    }
    if (!values.containsKey(ROLE) || !values.containsKey(WORKSPACE)) {
      throw new InvalidValueException("needs role and workspace; workspace=* means all");
    }
    return of(
        values.getOrDefault(ROLE, ""),
        values.getOrDefault(WORKSPACE, ""),
        Optional.ofNullable(values.get(QUEUE)),
        Optional.ofNullable(values.get(DEFINITION)));
  }

  /**
   * Makes a grant of its parts in text form.
   *
   * @param queue empty = not narrowed to queues
   * @param definition empty = not narrowed to definitions
   */
  public static RoleGrant of(
      String role, String workspace, Optional<String> queue, Optional<String> definition) {
    return new RoleGrant(
        read(ROLE, () -> Role.parse(role)),
        names(WORKSPACE, Optional.of(workspace), name -> new Workspace(name).name()),
        names(QUEUE, queue, Text::requiredName),
        names(DEFINITION, definition, Text::requiredName));
  }

  private static AllowedNames names(
      String key, Optional<String> text, UnaryOperator<String> check) {
    return text.map(names -> read(key, () -> AllowedNames.parse(names, check)))
        .orElse(new AllowedNames.All());
  }

  private static <T> T read(String key, Supplier<T> value) {
    try {
      return value.get();
    } catch (InvalidValueException e) {
      throw new InvalidValueException(key + " " + e.rule());
    }
  }

  /** Returns the text form. */
  @Override
  public String toString() {
    return ROLE
        + "="
        + role
        + " "
        + WORKSPACE
        + "="
        + workspaces
        + (queues.isAll() ? "" : " " + QUEUE + "=" + queues)
        + (definitions.isAll() ? "" : " " + DEFINITION + "=" + definitions);
  }
}
