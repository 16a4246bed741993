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

  private static final Contestant KEY =
      new Contestant(Peer.JDBC, Kind.KEY, "begin, complete (R2)", "pair", FEW, true);
  private static final Contestant QUEUE =
      new Contestant(Peer.JDBC, Kind.JOB, "SKIP LOCKED job", "queue", FEW, false);
  private static final Contestant QUEUE_BATCH =
      new Contestant(Peer.JDBC, Kind.JOB, "SKIP LOCKED job, 50 a batch", "queue-batch", 8, false);

  private static final Contestant TASK = task(FEW, false);
  private static final Contestant TASK_MANY = task(MANY, true);

  private static final Contestant DBOS_ONE = dbos(Kind.ONE_STEP, "one-step", FEW, true);
  private static final Contestant DBOS_ONE_MANY = dbos(Kind.ONE_STEP, "one-step", MANY, false);
  private static final Contestant DBOS_TEN = dbos(Kind.TEN_STEPS, "ten-steps", FEW, false);
  private static final Contestant DBOS_TEN_MANY = dbos(Kind.TEN_STEPS, "ten-steps", MANY, false);
  private static final Contestant DBOS_HOOK = dbos(Kind.HOOK, "hook", FEW, true);
  private static final Contestant DBOS_HOOK_MANY = dbos(Kind.HOOK, "hook", MANY, false);

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
  private static final Contestant HOOK = run(Kind.HOOK, "hook", FEW, false);
  private static final Contestant HOOK_MANY = run(Kind.HOOK, "hook", MANY, true);

  /** All contestants in the order of the tables, which alternates between peers. */
  static final List<Contestant> ALL =
      List.of(
          INSERT,
          START,
          KEY,
          PAIR,
          ACTION,
          QUEUE,
          QUEUE_BATCH,
          TASK,
          TASK_MANY,
          DBOS_ONE,
          ONE,
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

  private Contestants() {}

  private static Contestant task(int callers, boolean isPaced) {
    return new Contestant(Peer.DB_SCHEDULER, Kind.JOB, "one-time task", "task", callers, isPaced);
  }

  private static Contestant dbos(Kind kind, String workload, int callers, boolean isPaced) {
    return new Contestant(Peer.DBOS, kind, name(kind), workload, callers, isPaced);
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
