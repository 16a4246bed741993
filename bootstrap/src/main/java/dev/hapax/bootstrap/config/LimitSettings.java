package dev.hapax.bootstrap.config;

import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import java.util.List;

/** The settings of what one caller, and all callers together, may take. */
final class LimitSettings {
  private static final int MOST = 1_000_000;

  private static final Setting<Integer> MAX_CONNECTIONS =
      limit(
          "max-connections",
          ConnectionLimits.DEFAULT.total(),
          1,
          "Maximum number of connections of callers.");
  private static final Setting<Integer> MAX_CONNECTIONS_PER_ADDRESS =
      limit(
          "max-connections-per-address",
          ConnectionLimits.DEFAULT.perAddress(),
          1,
          "Maximum number of connections from one IPv4 address or IPv6 /64 network; raise it behind"
              + " a load balancer that hides its clients.");
  private static final Setting<Integer> CALLS_PER_WORKSPACE =
      limit(
          "calls-per-second-per-workspace",
          CallerLimits.DEFAULT.callsPerWorkspace(),
          0,
          "Maximum calls per second of one workspace on this server; 0 = no limit.");
  private static final Setting<Integer> CALLS_PER_PRINCIPAL =
      limit(
          "calls-per-second-per-principal",
          CallerLimits.DEFAULT.callsPerPrincipal(),
          0,
          "Maximum calls per second of one principal on this server; 0 = no limit.");
  private static final Setting<Integer> WATCHES_PER_WORKSPACE =
      limit(
          "watches-per-workspace",
          CallerLimits.DEFAULT.watchesPerWorkspace(),
          1,
          "Maximum number of open WatchRun streams of one workspace on this server.");
  private static final Setting<Integer> WATCHES_PER_PRINCIPAL =
      limit(
          "watches-per-principal",
          CallerLimits.DEFAULT.watchesPerPrincipal(),
          1,
          "Maximum number of open WatchRun streams of one principal on this server.");
  private static final Setting<Integer> WAITS_PER_PRINCIPAL =
      limit(
          "waits-per-principal",
          CallerLimits.DEFAULT.waitsPerPrincipal(),
          1,
          "Maximum number of open calls of one principal that wait on this server, such as long"
              + " polls; a Work stream counts as one.");

  static final List<Setting<?>> ALL =
      List.of(
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_ADDRESS,
          CALLS_PER_WORKSPACE,
          CALLS_PER_PRINCIPAL,
          WATCHES_PER_WORKSPACE,
          WATCHES_PER_PRINCIPAL,
          WAITS_PER_PRINCIPAL);

  private LimitSettings() {}

  private static Setting<Integer> limit(String name, int byDefault, int least, String what) {
    return Settings.plain(
        name, "N", String.valueOf(byDefault), what, SettingParsers.number(least, MOST));
  }

  static ConnectionLimits connections(SettingValues values) {
    return new ConnectionLimits(
        values.get(MAX_CONNECTIONS), values.get(MAX_CONNECTIONS_PER_ADDRESS));
  }

  static CallerLimits callers(SettingValues values) {
    return new CallerLimits(
        values.get(CALLS_PER_WORKSPACE),
        values.get(CALLS_PER_PRINCIPAL),
        values.get(WATCHES_PER_WORKSPACE),
        values.get(WATCHES_PER_PRINCIPAL),
        values.get(WAITS_PER_PRINCIPAL));
  }
}
