package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.run.RunId;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Against the examples of the <a
 * href="https://github.com/jetify-com/typeid/tree/main/spec">specification</a>, version 0.3.0.
 * Those without a prefix have one here: Hapax has no ids without.
 */
class TypeIdTest {
  private static final String PREFIX = "prefix";

  @ParameterizedTest
  @DisplayName("valid examples are printed and parsed")
  @CsvSource({
    "00000000000000000000000000, 00000000-0000-0000-0000-000000000000",
    "00000000000000000000000001, 00000000-0000-0000-0000-000000000001",
    "0000000000000000000000000a, 00000000-0000-0000-0000-00000000000a",
    "0000000000000000000000000g, 00000000-0000-0000-0000-000000000010",
    "00000000000000000000000010, 00000000-0000-0000-0000-000000000020",
    "7zzzzzzzzzzzzzzzzzzzzzzzzz, ffffffff-ffff-ffff-ffff-ffffffffffff",
    "0123456789abcdefghjkmnpqrs, 0110c853-1d09-52d8-d73e-1194e95b5f19",
    "01h455vb4pex5vsknk084sn02q, 01890a5d-ac96-774b-bcce-b302099a8057"
  })
  void valid(String suffix, UUID uuid) {
    for (var prefix : new String[] {PREFIX, "pre_fix"}) {
      assertThat(TypeId.print(prefix, uuid)).isEqualTo(prefix + "_" + suffix);
      assertThat(TypeId.parse(prefix, prefix + "_" + suffix)).contains(uuid);
    }
  }

  @ParameterizedTest
  @DisplayName("invalid examples are not ids")
  @ValueSource(
      strings = {
        "",
        "_",
        "prefix",
        "prefix_",
        "00000000000000000000000000",
        "_00000000000000000000000000",
        "PREFIX_00000000000000000000000000",
        "12345_00000000000000000000000000",
        "pre.fix_00000000000000000000000000",
        "préfix_00000000000000000000000000",
        "  prefix_00000000000000000000000000",
        "_prefix_00000000000000000000000000",
        "prefix__00000000000000000000000000",
        "prefix_1234567890123456789012345",
        "prefix_123456789012345678901234567",
        "prefix_1234567890123456789012345 ",
        "prefix_0123456789ABCDEFGHJKMNPQRS",
        "prefix_123456789-123456789-123456",
        "prefix_ooooooiiiiiiuuuuuuulllllll",
        "prefix_i23456789ol23456789oi23456",
        "prefix_123456789-0123456789-0123456",
        "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
        "prefix_zzzzzzzzzzzzzzzzzzzzzzzzzz"
      })
  void invalid(String text) {
    assertThat(TypeId.parse(PREFIX, text)).isEmpty();
  }

  @Test
  @DisplayName("what was printed is parsed, whatever it is, and sorts as it did")
  void roundTrip() {
    var random = new Random(7);
    for (var i = 0; i < 10_000; i++) {
      var id = new UUID(random.nextLong(), random.nextLong());
      assertThat(TypeId.parse(PREFIX, TypeId.print(PREFIX, id))).contains(id);
      var later = new UUID(random.nextLong(), random.nextLong());
      assertThat(Integer.signum(TypeId.print(PREFIX, id).compareTo(TypeId.print(PREFIX, later))))
          .isEqualTo(Integer.signum(id.toString().compareTo(later.toString())));
    }
  }

  @Test
  @DisplayName("an id of a run is one with its prefix")
  void ofRuns() {
    var run = new RunId(Workspace.DEFAULT, UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057"));
    assertThat(run.text()).isEqualTo("run_01h455vb4pex5vsknk084sn02q");
    assertThat(RunId.parse(Workspace.DEFAULT, run.text())).isEqualTo(Optional.of(run));
    assertThat(RunId.parse(Workspace.DEFAULT, "ruu_01h455vb4pex5vsknk084sn02q")).isEmpty();
    assertThat(RunId.parse(Workspace.DEFAULT, run.step(0))).isEmpty();
    assertThat(run).hasToString("default/run_01h455vb4pex5vsknk084sn02q");
  }
}
