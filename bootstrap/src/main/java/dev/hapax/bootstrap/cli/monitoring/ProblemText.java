package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Problem;
import dev.hapax.v1.ServerState;

/** Problems and servers as text. */
final class ProblemText {
  static final Columns<Problem> PROBLEMS =
      Columns.<Problem>of("KIND", 20, problem -> EnumOption.text(problem.getKind()))
          .add("NAME", 24, problem -> ValueFormat.line(problem.getName()))
          .add("VERSION", 8, problem -> ValueFormat.orDash(problem.getVersion()))
          .add("STEP", 12, problem -> ValueFormat.orDash(problem.getStep()))
          .add("FAILURE", 16, problem -> ValueFormat.orDash(problem.getFailureCode()))
          .add("COUNT", 6, problem -> problem.getCount() + (problem.getTruncated() ? "+" : ""))
          .add("LAST HOUR", 9, problem -> Long.toString(problem.getLastHour()))
          .addAged("FIRST", 9, (problem, now) -> ValueFormat.ago(problem.getFirstAt(), now))
          .addAged("LAST", 9, (problem, now) -> ValueFormat.ago(problem.getLastAt(), now));

  static final Columns<ServerState> SERVERS =
      Columns.<ServerState>of("SERVER", 36, ServerState::getId)
          .add("STATE", 7, server -> server.getRunning() ? "RUNNING" : "GONE")
          .add("VERSION", 12, server -> ValueFormat.line(server.getVersion()))
          .addAged("LAST HEARTBEAT", 14, (server, now) -> ValueFormat.ago(server.getSeenAt(), now))
          .addAged("STARTED", 9, (server, now) -> ValueFormat.ago(server.getStartedAt(), now))
          .add("CELLS", 8, server -> ValueFormat.list(server.getCellsList()));

  private ProblemText() {}
}
