package dev.hapax.domain.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoleGrantTest {
  private static final Target ANYTHING = new Target.Anything();

  @ParameterizedTest
  @DisplayName("given a grant, when it is printed, then it parses to the same grant")
  @ValueSource(
      strings = {
        "role=viewer workspace=*",
        "role=worker workspace=eu,us queue=mail,print",
        "role=application workspace=eu definition=order",
        "role=webhook workspace=eu"
      })
  void printsAndParses(String text) {
    assertThat(RoleGrant.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @DisplayName("given an invalid grant, when it is parsed, then the error says what is wrong")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          role=viewer | needs role and workspace
          workspace=eu | needs role and workspace
          role=root workspace=eu | role must be one of viewer
          role=viewer workspace=EU | workspace must match
          role=viewer workspace= | workspace must match
          role=viewer workspace=eu,* | workspace must match
          role=viewer workspace=eu scope=x | must be like
          role=viewer workspace=eu workspace=us | has workspace twice
          role=viewer workspace=eu queue=mail | queue can only narrow the roles worker and admin
          role=worker workspace=eu queue=mail definition=order | not by both
          eu | must be like
          """)
  void rejects(String text, String problem) {
    assertThatThrownBy(() -> RoleGrant.parse(text))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining(problem);
  }

  @Test
  @DisplayName("given a role in one workspace, then only its permissions there are granted")
  void permitsByRoleAndWorkspace() {
    var grant = RoleGrant.parse("role=operator workspace=eu");
    assertThat(grant.permits(Permission.OPERATE, "eu", ANYTHING)).isTrue();
    assertThat(grant.permits(Permission.OBSERVE, "eu", new Target.Definition("any"))).isTrue();
    assertThat(grant.permits(Permission.CALL, "eu", ANYTHING)).isFalse();
    assertThat(grant.permits(Permission.OPERATE, "us", ANYTHING)).isFalse();
    assertThat(grant.permits(Permission.OPERATE, "EU", ANYTHING)).isFalse();
  }

  @Test
  @DisplayName("given a worker of one queue, then it may poll that queue and hold its tasks")
  void permitsByQueue() {
    var grant = RoleGrant.parse("role=worker workspace=eu queue=mail");
    assertThat(grant.permits(Permission.WORK, "eu", new Target.Queue("mail"))).isTrue();
    assertThat(grant.permits(Permission.WORK, "eu", new Target.HeldTask())).isTrue();
    assertThat(grant.permits(Permission.WORK, "eu", new Target.Queue("print"))).isFalse();
    assertThat(grant.permits(Permission.WORK, "eu", ANYTHING)).isFalse();
    assertThat(grant.permits(Permission.OBSERVE, "eu", ANYTHING)).isFalse();
    assertThat(grant.permits(Permission.CALL, "eu", new Target.Definition("order"))).isFalse();
  }

  @Test
  @DisplayName("given an application of one definition, then it may name that definition only")
  void permitsByDefinition() {
    var grant = RoleGrant.parse("role=application workspace=* definition=order");
    assertThat(grant.permits(Permission.CALL, "us", new Target.Definition("order"))).isTrue();
    assertThat(grant.permits(Permission.CALL, "us", new Target.Definition("refund"))).isFalse();
    assertThat(grant.permits(Permission.CALL, "us", ANYTHING)).isFalse();
    assertThat(grant.permits(Permission.CALL, "us", new Target.HeldTask())).isFalse();
  }

  @Test
  @DisplayName("given a webhook, then it may signal the owners of tokens, and nothing else")
  void permitsAWebhookOneThing() {
    var grant = RoleGrant.parse("role=webhook workspace=*");
    for (var permission : Permission.values()) {
      assertThat(grant.permits(permission, "eu", ANYTHING))
          .as("%s", permission)
          .isEqualTo(permission == Permission.SIGNAL_HOOK);
    }
  }
}
