package dev.hapax.console.lifecycle;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.console.lifecycle.LifecycleDrawing.Arrow;
import dev.hapax.console.lifecycle.LifecycleDrawing.Box;
import dev.hapax.console.lifecycle.LifecycleDrawing.Kind;
import dev.hapax.console.lifecycle.LifecycleDrawing.Look;
import dev.hapax.v1.Lifecycle;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecycleDrawingTest {
  private static LifecycleDrawing drawing(List<String> statuses, String steps) {
    return LifecycleDrawing.of(
        Lifecycle.newBuilder()
            .addAllStatusTypes(statuses)
            .addClaimStates("paying")
            .setJson("{\"steps\": [" + steps + "]}")
            .build(),
        "");
  }

  @Test
  @DisplayName("given steps, when drawn, then each status is right of the statuses before it")
  void columns() {
    var drawing =
        drawing(
            List.of("sent", "paid", "paying", "late"),
            """
            {"step_key": "remind", "status": "sent", "successful_state": "late"},
            {"step_key": "pay", "status": "sent", "successful_state": "paid"},
            {"step_key": "pay", "status": "late", "claim_state": ["paying", "late"],
              "successful_state": "paid"}
            """);

    var boxes =
        drawing.boxes().stream().collect(Collectors.toMap(Box::status, Function.identity()));
    assertThat(List.of("sent", "late", "paying", "paid"))
        .extracting(status -> requireNonNull(boxes.get(status)).x())
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(requireNonNull(boxes.get("paying")).look()).isEqualTo(Look.CLAIM_STATE);
    assertThat(requireNonNull(boxes.get("late")).look()).isEqualTo(Look.PLAIN);
    assertThat(drawing.arrows())
        .extracting(Arrow::kind, Arrow::label)
        .containsExactlyInAnyOrder(
            tuple(Kind.SUCCESS, "remind"),
            tuple(Kind.SUCCESS, "pay"),
            tuple(Kind.BEGIN, "pay"),
            tuple(Kind.SUCCESS, ""),
            tuple(Kind.REVERT, ""));
  }

  @Test
  @DisplayName("given steps in a circle, when drawn, then no box covers another one")
  void circle() {
    var drawing =
        drawing(
            List.of("open", "closed", "archived", "lost"),
            """
            {"step_key": "close", "status": "open", "successful_state": "closed"},
            {"step_key": "reopen", "status": "closed", "successful_state": "open"},
            {"step_key": "touch", "status": "open", "successful_state": "open"},
            {"step_key": "archive", "status": "closed", "successful_state": "archived"}
            """);

    assertThat(drawing.arrows()).hasSize(4);
    assertThat(drawing.boxes()).hasSize(4);
    for (var box : drawing.boxes()) {
      assertThat(box.x() + box.width()).isLessThan(drawing.width());
      assertThat(box.y() + box.height()).isLessThan(drawing.height());
      assertThat(drawing.boxes())
          .filteredOn(other -> !other.equals(box))
          .noneMatch(other -> covers(box, other));
    }
  }

  private static boolean covers(Box one, Box other) {
    return one.x() < other.x() + other.width()
        && other.x() < one.x() + one.width()
        && one.y() < other.y() + other.height()
        && other.y() < one.y() + one.height();
  }

  @Test
  @DisplayName("given requesters, when drawn, then only those with a status after success")
  void requesters() {
    var drawing =
        drawing(
            List.of("open", "closed"),
            """
            {"step_key": "close", "status": "open", "action": {"admin": "A", "guest": "B"},
              "successful_state": {"admin": "closed"}}
            """);

    assertThat(drawing.arrows()).extracting(Arrow::label).containsExactly("close (admin)");
  }
}
