package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Operation;
import dev.hapax.v1.Run;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FindTest {
  private static final String FIND = "/w/default/find";
  private static final String RUN_PAGE = "/w/default/runs/run_01k";

  private final ConsoleFixture console = new ConsoleFixture();
  private final FakeApi api = console.api;

  FindTest() throws IOException {
    api.run = Run.newBuilder().setId("run_01k").setWorkspace("default").build();
    api.token = "order/4711";
    api.entity = "invoice/2026/17";
    api.operations =
        List.of(
            Operation.newBuilder()
                .setWorkspace("default")
                .setOperation("orders.v1.Orders/Place")
                .setRequestId("order 17")
                .build());
  }

  @AfterEach
  void stop() {
    console.close();
  }

  private HttpResponse<String> find(String id) {
    return console.browser.submit(FIND, Map.of("id", id));
  }

  private String place(String id) {
    return find(id).headers().firstValue("Location").orElse("");
  }

  @Test
  @DisplayName("given what names one object, when found, then the browser is sent to its page")
  void one() {
    assertThat(place(" run_01k ")).isEqualTo(RUN_PAGE);
    assertThat(place("order/4711")).isEqualTo(RUN_PAGE);
    assertThat(place("invoice/2026/17")).isEqualTo("/w/default/entities/invoice/2026%2F17");
    assertThat(place("orders.v1.Orders/Place order 17"))
        .isEqualTo(
            "/w/default/operations/one?operation=orders.v1.Orders%2FPlace&request=order%2017");
  }

  @Test
  @DisplayName("given a name of several objects, when found, then each is offered")
  void several() {
    api.entity = api.token;
    assertThat(find("order/4711").body())
        .contains("names several things", RUN_PAGE, "/w/default/entities/order/4711");
  }

  @Test
  @DisplayName("given what names nothing, when found, then the page says so and what can be found")
  void none() {
    for (var id : List.of("run_other", "a/", "/", "x y", "<img src=x>")) {
      var answer = find(id);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("names nothing").doesNotContain("<img");
    }
    assertThat(find("").body()).contains("Type one of these");
    assertThat(console.browser.get(FIND).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given any page, then its header has the field, and no address has the id")
  void header() {
    assertThat(console.browser.get(RUN_PAGE).body())
        .contains("action=\"/w/default/find\" method=\"post\" role=\"search\"");
  }
}
