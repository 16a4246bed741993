package dev.hapax.bootstrap.cli.security;

import com.google.protobuf.ProtocolMessageEnum;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Principal;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.RoleGrant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A principal as text. */
final class PrincipalText {
  private static final String ALL = "*";

  private PrincipalText() {}

  static List<String> lines(Principal principal, Instant now) {
    if (principal.getKind() == PrincipalKind.PRINCIPAL_KIND_LOCAL) {
      return List.of("local: the server does not authenticate; every caller may do everything");
    }
    var lines = new ArrayList<String>();
    lines.add(line("principal", kind(principal) + ":" + principal.getName()));
    if (!principal.getApiKeyId().isEmpty()) {
      lines.add(line("api_key_id", principal.getApiKeyId()));
    }
    lines.add(
        line(
            "expires_at",
            principal.hasExpiresAt()
                ? ValueFormat.moment(principal.getExpiresAt(), now)
                : "never"));
    principal.getGrantsList().forEach(grant -> lines.add(line("grant", grant(grant))));
    if (principal.getGrantsCount() == 0) {
      lines.add(line("grant", "none"));
    }
    return lines;
  }

  private static String kind(Principal principal) {
    return word(principal.getKind()).replace('_', '-');
  }

  private static String grant(RoleGrant grant) {
    return "role="
        + word(grant.getRole())
        + " workspace="
        + String.join(",", grant.getWorkspacesList())
        + narrowed("queue", grant.getQueuesList())
        + narrowed("definition", grant.getDefinitionsList());
  }

  private static String narrowed(String key, List<String> names) {
    return names.equals(List.of(ALL)) ? "" : " " + key + "=" + String.join(",", names);
  }

  private static <E extends Enum<E> & ProtocolMessageEnum> String word(E value) {
    return EnumOption.text(value).toLowerCase(Locale.ROOT);
  }

  private static String line(String name, String value) {
    return "%-10s  %s".formatted(name, value);
  }
}
