package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The completions of docs/sql.md, as each language sends them. */
class DocumentedCompletionIT {
  private static final Path PAGE = Path.of("..", "docs", "sql.md");
  private static final String OUTPUT = "{\"cents\": 1250}";

  /** As psycopg and node-postgres write a parameter. */
  private static final Pattern PARAMETER = Pattern.compile("%s|\\$\\d");

  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller invoices = ClaimCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), invoices.runs());

  @AfterEach
  void close() {
    sql.close();
    invoices.close();
  }

  /** The first call in a block of this language, with the workspace of this test. */
  private String call(String language, Pattern call) throws IOException {
    var block =
        Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE))
            .results()
            .map(result -> call.matcher(result.group(1)))
            .filter(Matcher::find)
            .findFirst()
            .orElseThrow();
    return block.group(1).replaceFirst("''", "'%s'".formatted(invoices.workspace()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"python", "js"})
  @DisplayName("given the statement of a language, when it is committed, then the entity is closed")
  void parameters(String language) throws Exception {
    var id = invoices.approved("d-" + language).getId();
    var claim = invoices.claimed(id);
    var statement = call(language, Pattern.compile("\"(SELECT hapax.complete_action.*?)\""));
    try (var connection = sql.begin();
        var prepared = connection.prepareStatement(PARAMETER.matcher(statement).replaceAll("?"))) {
      prepared.setString(1, claim.getId());
      prepared.setLong(2, claim.getFence());
      prepared.setString(3, OUTPUT);
      assertThat(prepared.execute()).isTrue();
      connection.commit();
    }
    assertThat(invoices.get(id).getStatus()).isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "given the statements of SQL, when they are committed, then the records are completed")
  void statements() throws Exception {
    var one = invoices.approved("d-1").getId();
    execute(
        withClaim(
            call("sql", Pattern.compile("(SELECT hapax.complete_action.*?;)")), "action", one));

    var other = invoices.approved("d-2").getId();
    var calls = invoices.runs().caller();
    var array = call("sql", Pattern.compile("(?s)(SELECT hapax.complete\\(.*?;)"));
    array = withClaim(array, "action", other);
    array = withClaim(array, "op", calls.acquire("charge"));
    execute(array);

    assertThat(invoices.get(one).getStatus()).isEqualTo("closed");
    assertThat(invoices.get(other).getStatus()).isEqualTo("closed");
    assertThat(calls.send(calls.begin("charge")).getReplay().getResult().getJson())
        .isEqualTo("{\"receipt\": 7}");
  }

  private void execute(String statement) throws SQLException {
    try (var connection = sql.connect();
        var plain = connection.createStatement()) {
      assertThat(plain.execute(statement)).isTrue();
    }
  }

  private String withClaim(String statement, String kind, String entity) {
    return withClaim(statement, kind, invoices.claimed(entity));
  }

  /** The claim of the page has this prefix, and its fence follows. */
  private static String withClaim(String statement, String kind, Claim claim) {
    var documented = Pattern.compile(kind + "_\\w+…([^\\d]+)\\d+").matcher(statement);
    assertThat(documented.find()).as(statement).isTrue();
    return documented.replaceFirst(
        claim.getId() + Objects.requireNonNull(documented.group(1)) + claim.getFence());
  }
}
