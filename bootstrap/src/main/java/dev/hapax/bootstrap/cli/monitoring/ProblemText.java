package dev.hapax.bootstrap.cli.monitoring;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.CertificateState;
import dev.hapax.v1.Problem;
import dev.hapax.v1.ServerState;
import dev.hapax.v1.WorkspaceState;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Problems, workspaces and servers as text. */
final class ProblemText {
  private static final String NONE = "-";

  /** Items of a workspace are counted up to this. */
  private static final int MOST = 1_000;

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
          .add("CELLS", 8, server -> ValueFormat.list(server.getCellsList()))
          .add("CLOCK", 7, ProblemText::clock)
          .add("COMMITTERS", 10, server -> Integer.toString(server.getCommitters()))
          .add(
              "KEYS",
              4,
              server -> server.hasApiKeysReadAt() ? Integer.toString(server.getApiKeys()) : NONE)
          .addAged(
              "CERTIFICATES",
              16,
              (server, now) ->
                  ValueFormat.list(
                      server.getCertificatesList().stream()
                          .map(each -> each.getUse() + " " + left(each, now))
                          .toList()));

  static final Columns<WorkspaceState> WORKSPACES =
      Columns.<WorkspaceState>of(
              "WORKSPACE", 24, workspace -> ValueFormat.line(workspace.getWorkspace()))
          .add("CELL", 8, ProblemText::cell)
          .add("FAILED", 6, workspace -> number(workspace, workspace.getFailedRuns()))
          .add(
              "IN DOUBT",
              8,
              workspace ->
                  number(workspace, workspace.getOperationsInDoubt() + workspace.getStepsInDoubt()))
          .add(
              "ABANDONED",
              9,
              workspace ->
                  number(
                      workspace,
                      workspace.getOperationsAbandoned() + workspace.getEntitiesAbandoned()))
          .add(
              "NO WORKERS", 10, workspace -> number(workspace, workspace.getQueuesWithoutWorkers()))
          .add("OVERDUE", 7, workspace -> number(workspace, workspace.getJanitorsOverdue()));

  private ProblemText() {}

  private static String clock(ServerState server) {
    return server.hasClockOffset()
        ? String.format(Locale.ROOT, "%+d ms", Durations.toMillis(server.getClockOffset()))
        : NONE;
  }

  private static String left(CertificateState certificate, Instant now) {
    var left = certificate.getExpiresAt().getSeconds() - now.getEpochSecond();
    return left < 0 ? "expired" : Duration.ofSeconds(left).toDays() + " d";
  }

  private static String cell(WorkspaceState workspace) {
    return workspace.getMovingTo().isEmpty()
        ? ValueFormat.orDash(workspace.getCell())
        : workspace.getCell() + " to " + workspace.getMovingTo();
  }

  /** Unknown while the server cannot use the cell. */
  private static String number(WorkspaceState workspace, int counted) {
    if (!workspace.getCounted()) {
      return "?";
    }
    return counted < MOST ? Integer.toString(counted) : counted + "+";
  }
}
