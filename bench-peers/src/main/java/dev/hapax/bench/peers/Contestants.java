package dev.hapax.bench.peers;

import dev.hapax.bench.peers.Contestant.Kind;
import java.util.List;

/** All contestants, and the comparisons between them. */
final class Contestants {
  private static final int FEW = 32;
  private static final int MANY = 256;

  /** R1: the unit of all other rates. */
  static final Contestant INSERT =
      new Contestant(Peer.JDBC, Kind.ROW, "INSERT (R1)", "insert", FEW, true);

  /** Begins this often beside other loads, and shows how long a commit takes at this moment. */
  static final double PROBES_A_SECOND = 25;

  private static final Contestant INSERT_ALONE =
      new Contestant(Peer.JDBC, Kind.ROW, "INSERT", "insert", 1, false);
  private static final Contestant KEY =
      new Contestant(Peer.JDBC, Kind.KEY, "begin, complete (R2)", "pair", FEW, true);
  private static final Contestant QUEUE =
      new Contestant(Peer.JDBC, Kind.JOB, "SKIP LOCKED job", "queue", FEW, false);
  private static final Contestant QUEUE_BATCH =
      new Contestant(Peer.JDBC, Kind.JOB, "SKIP LOCKED job, 50 a batch", "queue-batch", 8, false);

  private static final Contestant TASK = task(FEW, false);
  private static final Contestant TASK_MANY = task(MANY, true);

  private static final Contestant DBOS_ALONE = dbos(Kind.ONE_STEP, "one-step", 1, false);

  /** Half of its peak is the rate at which others are measured, too. */
  static final Contestant DBOS_ONE = dbos(Kind.ONE_STEP, "one-step", FEW, true);

  private static final Contestant DBOS_ONE_MANY = dbos(Kind.ONE_STEP, "one-step", MANY, false);
  private static final Contestant DBOS_TEN = dbos(Kind.TEN_STEPS, "ten-steps", FEW, false);
  private static final Contestant DBOS_TEN_MANY = dbos(Kind.TEN_STEPS, "ten-steps", MANY, false);
  private static final Contestant DBOS_HOOK = dbos(Kind.HOOK, "hook", FEW, true);
  private static final Contestant DBOS_HOOK_MANY = dbos(Kind.HOOK, "hook", MANY, false);

  private static final Contestant TEMPORAL_ALONE = oneStep(Peer.TEMPORAL, 1, false);
  private static final Contestant TEMPORAL = oneStep(Peer.TEMPORAL, FEW, true);
  private static final Contestant TEMPORAL_MANY = oneStep(Peer.TEMPORAL, MANY, false);
  private static final Contestant TEMPORAL_LOCAL =
      new Contestant(
          Peer.TEMPORAL,
          Kind.ONE_STEP,
          "one-step run, local activity",
          "one-step-local",
          FEW,
          false);
  private static final Contestant RESTATE_ALONE = oneStep(Peer.RESTATE, 1, false);
  private static final Contestant RESTATE = oneStep(Peer.RESTATE, FEW, true);
  private static final Contestant RESTATE_MANY = oneStep(Peer.RESTATE, MANY, false);

  private static final Contestant START = hapax(Kind.ROW, "StartRun", "start", MANY, false);
  private static final Contestant PAIR = hapax(Kind.KEY, "Begin, Complete", "pair", MANY, true);
  private static final Contestant ACTION =
      hapax(Kind.KEY, "BeginAction, CompleteAction", "action", MANY, false);
  private static final Contestant ONE = run(Kind.ONE_STEP, "one-step", FEW, false);
  private static final Contestant ONE_MANY = run(Kind.ONE_STEP, "one-step", MANY, true);
  private static final Contestant TEN = run(Kind.TEN_STEPS, "ten-steps", FEW, false);
  private static final Contestant TEN_MANY = run(Kind.TEN_STEPS, "ten-steps", MANY, false);
  private static final Contestant ONE_STREAMS =
      hapax(Kind.ONE_STEP, "one-step run, streams", "one-step-streams", MANY, true);
  private static final Contestant TEN_STREAMS =
      hapax(Kind.TEN_STEPS, "ten-step run, streams", "ten-steps-streams", MANY, false);
  private static final Contestant ONE_ALONE = run(Kind.ONE_STEP, "one-step", 1, false);
  private static final Contestant AWAITED_ALONE = awaited(1);
  private static final Contestant AWAITED = awaited(FEW);
  private static final Contestant AWAITED_MANY = awaited(MANY);
  private static final Contestant TWO_CALLS_ALONE = startedThenAwaited(1);
  private static final Contestant TWO_CALLS = startedThenAwaited(FEW);
  private static final Contestant HOOK = run(Kind.HOOK, "hook", FEW, false);
  private static final Contestant HOOK_MANY = run(Kind.HOOK, "hook", MANY, true);

  /** All contestants in the order of the tables, which alternates between peers. */
  static final List<Contestant> ALL =
      List.of(
          INSERT,
          INSERT_ALONE,
          START,
          KEY,
          PAIR,
          ACTION,
          QUEUE,
          QUEUE_BATCH,
          TASK,
          TASK_MANY,
          DBOS_ALONE,
          TEMPORAL_ALONE,
          RESTATE_ALONE,
          ONE_ALONE,
          AWAITED_ALONE,
          TWO_CALLS_ALONE,
          DBOS_ONE,
          TEMPORAL,
          TEMPORAL_LOCAL,
          RESTATE,
          ONE,
          AWAITED,
          TWO_CALLS,
          TEMPORAL_MANY,
          RESTATE_MANY,
          AWAITED_MANY,
          DBOS_ONE_MANY,
          ONE_MANY,
          ONE_STREAMS,
          DBOS_TEN,
          TEN,
          DBOS_TEN_MANY,
          TEN_MANY,
          TEN_STREAMS,
          DBOS_HOOK,
          HOOK,
          DBOS_HOOK_MANY,
          HOOK_MANY);

  /** Two rates whose ratio within a round is reported. */
  record Comparison(Contestant contestant, Contestant to) {}

  static final List<Comparison> COMPARISONS =
      List.of(
          new Comparison(START, INSERT),
          new Comparison(PAIR, KEY),
          new Comparison(ACTION, PAIR),
          new Comparison(ONE_MANY, INSERT),
          new Comparison(TEN_MANY, INSERT),
          new Comparison(ONE_STREAMS, INSERT),
          new Comparison(TEN_STREAMS, INSERT),
          new Comparison(HOOK_MANY, INSERT),
          new Comparison(ONE_MANY, TASK_MANY),
          new Comparison(ONE, DBOS_ONE),
          new Comparison(ONE_ALONE, DBOS_ALONE),
          new Comparison(AWAITED_ALONE, DBOS_ALONE),
          new Comparison(AWAITED_ALONE, TWO_CALLS_ALONE),
          new Comparison(AWAITED, DBOS_ONE),
          new Comparison(AWAITED, TWO_CALLS),
          new Comparison(AWAITED_ALONE, TEMPORAL_ALONE),
          new Comparison(AWAITED, TEMPORAL),
          new Comparison(AWAITED, TEMPORAL_LOCAL),
          new Comparison(AWAITED_MANY, TEMPORAL_MANY),
          new Comparison(AWAITED_ALONE, RESTATE_ALONE),
          new Comparison(AWAITED, RESTATE),
          new Comparison(AWAITED_MANY, RESTATE_MANY),
          new Comparison(ONE_MANY, DBOS_ONE),
          new Comparison(ONE_MANY, DBOS_ONE_MANY),
          new Comparison(ONE_STREAMS, DBOS_ONE),
          new Comparison(TEN, DBOS_TEN),
          new Comparison(TEN_STREAMS, DBOS_TEN),
          new Comparison(TEN_MANY, DBOS_TEN),
          new Comparison(TEN_MANY, DBOS_TEN_MANY),
          new Comparison(HOOK, DBOS_HOOK),
          new Comparison(HOOK_MANY, DBOS_HOOK),
          new Comparison(HOOK_MANY, DBOS_HOOK_MANY));

  /** Measured at one rate, half of the peak of {@link #DBOS_ONE}. */
  static final List<Contestant> AT_ONE_RATE = List.of(INSERT, DBOS_ONE, ONE, AWAITED);

  private Contestants() {}

  private static Contestant awaited(int callers) {
    return hapax(Kind.ONE_STEP, "one-step run, awaited", "one-step-awaited", callers, false);
  }

  private static Contestant startedThenAwaited(int callers) {
    return hapax(Kind.ONE_STEP, "one-step run, two calls", "one-step-two-calls", callers, false);
  }

  private static Contestant task(int callers, boolean isPaced) {
    return new Contestant(Peer.DB_SCHEDULER, Kind.JOB, "one-time task", "task", callers, isPaced);
  }

  private static Contestant dbos(Kind kind, String workload, int callers, boolean isPaced) {
    return new Contestant(Peer.DBOS, kind, name(kind), workload, callers, isPaced);
  }

  private static Contestant oneStep(Peer peer, int callers, boolean isPaced) {
    return new Contestant(peer, Kind.ONE_STEP, name(Kind.ONE_STEP), "one-step", callers, isPaced);
  }

  private static Contestant run(Kind kind, String workload, int callers, boolean isPaced) {
    return hapax(kind, name(kind), workload, callers, isPaced);
  }

  private static Contestant hapax(
      Kind kind, String name, String workload, int callers, boolean isPaced) {
    return new Contestant(Peer.HAPAX, kind, name, workload, callers, isPaced);
  }

  private static String name(Kind kind) {
    return switch (kind) {
      case ONE_STEP -> "one-step run";
      case TEN_STEPS -> "ten-step run";
      case HOOK -> "run with a signal";
      case ROW, KEY, JOB -> kind.title();
    };
  }
}
