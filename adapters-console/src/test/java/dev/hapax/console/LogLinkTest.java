package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.LogLink;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLinkTest {
  private static final LogLink LOGS =
      new LogLink("https://logs.example/{workspace}/?q={run_id}&again={run_id}#{run_id}");

  private static String page(Optional<LogLink> logs, String run) throws IOException {
    try (var console = new PreparedConsole(logs)) {
      console.api.answer(
          RunServiceGrpc.getGetRunMethod(),
          GetRunResponse.newBuilder().setRun(Run.newBuilder().setId(run)).build());
      console.api.answer(
          RunServiceGrpc.getListStepsMethod(), ListStepsResponse.getDefaultInstance());
      console.api.answer(
          RunServiceGrpc.getExplainRunMethod(), ExplainRunResponse.getDefaultInstance());
      console.api.answer(
          RunServiceGrpc.getListRunEventsMethod(), ListRunEventsResponse.getDefaultInstance());
      return console.open(Address.ofRun("orders", run).href());
    }
  }

  @Test
  @DisplayName("given a template, when a run is shown, then its page links to the logs of the run")
  void shown() throws IOException {
    assertThat(page(Optional.of(LOGS), "run_1"))
        .contains(
            "<a class=\"button\" href=\"https://logs.example/orders/?q=run_1&amp;again=run_1#run_1\""
                + " target=\"_blank\" rel=\"noopener noreferrer\">Logs</a>");
    assertThat(page(Optional.empty(), "run_1")).doesNotContain(">Logs<");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a&b=c#d/../?e",
        "\" onclick=\"x",
        "{workspace}",
        "$1\\2",
        "@evil.example",
        "ä +%"
      })
  @DisplayName("given a hostile id of a run, then the link to its logs has it encoded")
  void encoded(String run) throws IOException {
    var id = Address.encoded(run);
    assertThat(id).matches("[A-Za-z0-9%._*-]+");
    assertThat(page(Optional.of(LOGS), run))
        .contains(
            "href=\"https://logs.example/orders/?q=%s&amp;again=%s#%s\"".formatted(id, id, id));
  }
}
