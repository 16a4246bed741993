package dev.hapax.domain.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PrincipalTest {
  private static Optional<AllowedNames> observed(String... grants) {
    return new Principal(
            Principal.Kind.API_KEY, "p", Stream.of(grants).map(RoleGrant::parse).toList())
        .workspaces(Permission.OBSERVE);
  }

  @Test
  @DisplayName("the workspaces that a principal may observe are those of its whole grants")
  void workspaces() {
    assertThat(observed("role=viewer workspace=*")).contains(new AllowedNames.All());
    assertThat(observed("role=viewer workspace=a", "role=operator workspace=b,c"))
        .contains(new AllowedNames.Listed(Set.of("a", "b", "c")));
    assertThat(observed("role=viewer workspace=a", "role=admin workspace=*"))
        .contains(new AllowedNames.All());
    assertThat(observed("role=viewer workspace=a", "role=webhook workspace=b"))
        .contains(new AllowedNames.Listed(Set.of("a")));
    assertThat(observed("role=viewer workspace=a", "role=worker workspace=b queue=mail"))
        .contains(new AllowedNames.Listed(Set.of("a")));
    assertThat(observed("role=worker workspace=* queue=mail")).isEmpty();
  }
}
