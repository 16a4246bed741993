package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommitterChoiceTest {
  private static final Object ROUTE_OF_SECOND = 1;

  private final CommitterChoice choice = new CommitterChoice(2, 256);

  @Test
  @DisplayName("few open commands, however often, all go to the first committer")
  void gathersFew() {
    for (var open = 0; open <= 128; open++) {
      assertThat(chosen(open)).isZero();
    }
  }

  @Test
  @DisplayName("many open commands go by their routes, until few are left")
  void spreadsMany() {
    assertThat(chosen(129)).isOne();
    assertThat(choice.choose(2, 129, false)).isZero();
    assertThat(chosen(85)).isOne();
    assertThat(chosen(84)).isZero();
    assertThat(chosen(128)).isZero();
  }

  @Test
  @DisplayName("a first committer that hangs keeps only the commands of its own routes")
  void goesRoundOneThatHangs() {
    assertThat(choice.choose(ROUTE_OF_SECOND, 1, true)).isOne();
    assertThat(chosen(1)).isZero();
  }

  @Test
  @DisplayName("when the first one has no room, commands go by their routes")
  void spreadsWhenFull() {
    assertThat(chosen(100)).isZero();
    assertThat(choice.chooseAnother(ROUTE_OF_SECOND)).isOne();
    assertThat(chosen(100)).isOne();
    assertThat(choice.chooseAnother(2)).isZero();
  }

  @Test
  @DisplayName("batches of one are always spread")
  void spreadsBatchesOfOne() {
    var ones = new CommitterChoice(2, 1);
    assertThat(ones.choose(ROUTE_OF_SECOND, 1, false)).isOne();
  }

  private int chosen(int open) {
    return choice.choose(ROUTE_OF_SECOND, open, false);
  }
}
