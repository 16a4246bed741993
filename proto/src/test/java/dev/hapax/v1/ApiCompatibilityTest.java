package dev.hapax.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The list {@code api.txt} is what callers have. What is on it stays; what is new is put on it with
 * {@code ./dev api update}.
 */
class ApiCompatibilityTest {
  private static final Path LIST = Path.of("src/test/resources/hapax/v1/api.txt");

  private final List<String> now = Api.elements().stream().map(Api.Element::line).sorted().toList();

  @Test
  @DisplayName("what callers have stays as it is")
  void compatible() throws IOException {
    if ("update".equals(System.getProperty("api"))) {
      Files.write(LIST, now);
    }
    var changes = ApiChanges.between(Files.readAllLines(LIST), now);
    assertThat(changes.broken())
        .as(
            "these were there, and callers use them: add beside them instead. If no caller has"
                + " them yet: ./dev api update")
        .isEmpty();
    assertThat(changes.added())
        .as("these are new and callers may rely on them from now on: ./dev api update")
        .isEmpty();
  }

  @Test
  @DisplayName("what is removed, renamed, renumbered or retyped is found")
  void incompatible() {
    var field = "field hapax.v1.Claim.fence = 2 int64";
    assertThat(now).contains(field);
    assertThat(without(field).broken()).containsExactly(field);
    for (var other :
        List.of(
            "field hapax.v1.Claim.token = 2 int64",
            "field hapax.v1.Claim.fence = 3 int64",
            "field hapax.v1.Claim.fence = 2 uint64",
            "field hapax.v1.Claim.fence = 2 repeated int64",
            "field hapax.v1.Claim.fence = 2 int64 in oneof content")) {
      var changed = new ArrayList<>(now);
      changed.set(now.indexOf(field), other);
      assertThat(ApiChanges.between(now, changed).broken()).containsExactly(field);
    }
    for (var other :
        List.of(
            "rpc hapax.v1.OperationService.RenewOperation(hapax.v1.RenewOperationRequest)"
                + " returns (hapax.v1.RenewOperationResponse)",
            "value hapax.v1.OnStale.ON_STALE_HOLD = 2",
            "oneof hapax.v1.Payload.content")) {
      assertThat(now).contains(other);
      assertThat(without(other).broken()).containsExactly(other);
    }
  }

  @Test
  @DisplayName("given a reserved number that a field takes, then it is found")
  void reservedNumbers() {
    var reserved = "reserved hapax.v1.StartRunRequest = 18";
    assertThat(now).contains(reserved, "reserved hapax.v1.Disposition = 8");
    var taken = new ArrayList<>(now);
    taken.set(now.indexOf(reserved), "field hapax.v1.StartRunRequest.colour = 18 string");
    assertThat(ApiChanges.between(now, taken).broken()).containsExactly(reserved);
  }

  @Test
  @DisplayName("given a new field and a broken one, then only the second is a break")
  void addition() {
    var changed = new ArrayList<>(now);
    changed.add("field hapax.v1.Claim.holder = 3 string");
    var changes = ApiChanges.between(now, changed);
    assertThat(changes.broken()).isEmpty();
    assertThat(changes.added()).containsExactly("field hapax.v1.Claim.holder = 3 string");
  }

  private ApiChanges without(String line) {
    return ApiChanges.between(now, now.stream().filter(kept -> !kept.equals(line)).toList());
  }
}
