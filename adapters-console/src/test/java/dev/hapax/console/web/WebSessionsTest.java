package dev.hapax.console.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WebSessionsTest {
  private static final int MANY = 15_000;

  @Test
  @DisplayName(
      "given a principal that begins more sessions than the console keeps, then only its own oldest"
          + " ones end [security-N6]")
  void ofOnePrincipal() {
    var sessions = new WebSessions();
    var operator = sessions.begin("key of the operator", "operator");
    var webhook = new ArrayDeque<String>();
    for (var i = 0; i < MANY; i++) {
      webhook.addLast(sessions.begin("key of the webhook", "webhook"));
    }

    assertThat(sessions.credential(operator)).contains("key of the operator");
    assertThat(webhook)
        .filteredOn(id -> sessions.credential(id).isPresent())
        .hasSize(WebSessions.MOST_OF_PRINCIPAL)
        .last()
        .isEqualTo(webhook.getLast());
  }
}
