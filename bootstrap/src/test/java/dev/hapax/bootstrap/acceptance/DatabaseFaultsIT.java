package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The connections of a server to PostgreSQL end while callers work. */
@Tag("secured")
@Tag("C1")
@Tag("C9")
@Tag("X3")
class DatabaseFaultsIT {
  private static final String NAME =
      "given backends that are terminated again and again, then {0} end once";

  enum Load {
    OPERATIONS(40),
    RUNS(10),
    ACTIONS(10);

    private final int rounds;

    Load(int rounds) {
      this.rounds = rounds;
    }

    Work start(int rounds, Deployment deployment, ClaimCaller caller) {
      return switch (this) {
        case OPERATIONS -> {
          var load = RivalLoad.start(deployment, caller.runs().caller());
          yield new Work(
              round -> load.accepted() >= 5L * round,
              load::timesUnavailable,
              () -> load.finish(rounds),
              load);
        }
        case RUNS -> {
          var load = RunLoad.start(25 * rounds, caller.runs());
          yield new Work(
              round -> load.completed() >= 12 * round, load::timesUnavailable, load::finish, load);
        }
        case ACTIONS -> {
          var load = ClaimLoad.start(deployment.database(), 20 * rounds, caller);
          yield new Work(
              // on each entity at least two act
              round -> load.granted() >= 20 * round,
              load::timesUnanswered,
              () -> load.finish(caller),
              load);
        }
      };
    }
  }

  /**
   * What callers do meanwhile.
   *
   * @param isReady whether enough was done for the fault of a round
   * @param finish waits until all is done, and checks that each thing happened once
   */
  record Work(
      IntPredicate isReady, IntSupplier unanswered, Executable finish, AutoCloseable load) {}

  @ParameterizedTest(name = NAME)
  @EnumSource(names = "OPERATIONS")
  void operations(Load load) throws Throwable {
    survive(load, load.rounds);
  }

  @ParameterizedTest(name = NAME)
  @EnumSource(mode = Mode.EXCLUDE, names = "OPERATIONS")
  @Tag("fault")
  void others(Load load) throws Throwable {
    survive(load, load.rounds);
  }

  @ParameterizedTest(name = NAME + ", for long")
  @EnumSource
  @Tag("soak")
  void forLong(Load load) throws Throwable {
    for (var i = 0; i < 50; i++) {
      survive(load, 2 * load.rounds);
    }
  }

  private static void survive(Load load, int rounds) throws Throwable {
    try (var deployment = Deployment.start();
        var caller = ClaimCaller.to(deployment.target())) {
      var work = load.start(rounds, deployment, caller);
      try (var _ = work.load()) {
        var killed = 0;
        for (var round = 1; round <= rounds; round++) {
          var now = round;
          Condition.await("more is done", Condition.MUCH_WORK, () -> work.isReady().test(now));
          Condition.await("the server is connected", () -> deployment.connections() > 1);
          killed += deployment.database().killConnections();
        }
        assertThat(killed).isGreaterThan(rounds);

        // as if PostgreSQL were restarted
        var before = work.unanswered().getAsInt();
        deployment.database().allowConnections(false);
        deployment.database().disconnectAll();
        Condition.await("callers notice", () -> work.unanswered().getAsInt() > before);
        deployment.database().allowConnections(true);

        work.finish().execute();
        assertThat(deployment.server().isAlive()).isTrue();
      }
    }
  }
}
