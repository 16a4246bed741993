package dev.hapax.bootstrap.config;

import java.util.List;

/** The settings of what one caller, and all callers together, may take. */
final class LimitSettings {
  static final Setting<Integer> MAX_CONNECTIONS =
      Settings.plain(
          "max-connections",
          "N",
          "10000",
          "Maximum number of connections of callers.",
          SettingParsers.number(1, 1_000_000));
  static final Setting<Integer> MAX_CONNECTIONS_PER_ADDRESS =
      Settings.plain(
          "max-connections-per-address",
          "N",
          "1000",
          "Maximum number of connections from one IPv4 address or IPv6 /64 network; raise it behind"
              + " a load balancer that hides its clients.",
          SettingParsers.number(1, 1_000_000));
  static final Setting<Integer> CALLS_PER_WORKSPACE =
      Settings.plain(
          "calls-per-second-per-workspace",
          "N",
          "0",
          "Maximum calls per second of one workspace on this server; 0 = no limit.",
          SettingParsers.number(0, 1_000_000));
  static final Setting<Integer> CALLS_PER_PRINCIPAL =
      Settings.plain(
          "calls-per-second-per-principal",
          "N",
          "0",
          "Maximum calls per second of one principal on this server; 0 = no limit.",
          SettingParsers.number(0, 1_000_000));
  static final Setting<Integer> WATCHES_PER_WORKSPACE =
      Settings.plain(
          "watches-per-workspace",
          "N",
          "5000",
          "Maximum number of open WatchRun streams of one workspace on this server.",
          SettingParsers.number(1, 1_000_000));
  static final Setting<Integer> WATCHES_PER_PRINCIPAL =
      Settings.plain(
          "watches-per-principal",
          "N",
          "5000",
          "Maximum number of open WatchRun streams of one principal on this server.",
          SettingParsers.number(1, 1_000_000));

  static final List<Setting<?>> ALL =
      List.of(
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_ADDRESS,
          CALLS_PER_WORKSPACE,
          CALLS_PER_PRINCIPAL,
          WATCHES_PER_WORKSPACE,
          WATCHES_PER_PRINCIPAL);

  private LimitSettings() {}
}
