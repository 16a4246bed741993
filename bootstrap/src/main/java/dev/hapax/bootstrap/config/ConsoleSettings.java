package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import dev.hapax.console.view.LogLink;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The settings of the console. */
final class ConsoleSettings {
  private static final HostPort DEFAULT = new HostPort("127.0.0.1", 7422);
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  static final Setting<Choice> CONSOLE_LISTEN =
      Settings.plain(
          "console-listen",
          "HOST:PORT|off",
          "",
          "Address of the console for browsers; port 0 picks a free one. Without this setting it is "
              + DEFAULT
              + " if --listen has a loopback address and a port other than 0, and off otherwise.",
          ConsoleSettings::choice);
  static final Setting<Set<String>> CONSOLE_HOSTS =
      new Setting<>(
          "console-hosts",
          "NAME,...",
          "",
          "Host names by which browsers reach the console, beside its address and localhost; any"
              + " other name is refused.",
          Kind.PLAIN,
          SettingParsers::names);
  static final Setting<Optional<LogLink>> CONSOLE_LOG_LINK =
      Settings.plain(
          "console-log-link",
          "TEMPLATE",
          "",
          "Address of the logs of a run, such as https://logs.example/?q={run_id}, to which its page"
              + " in the console links; {run_id} and {workspace} are replaced.",
          text -> SettingParsers.optional(text).map(LogLink::new));

  private ConsoleSettings() {}

  /** The settings of the console. */
  sealed interface Choice {
    /** Nothing. */
    record Unset() implements Choice {}

    /** There is none. */
    record Off() implements Choice {}

    /** It is there. */
    record At(HostPort address) implements Choice {}
  }

  private static Choice choice(String text) {
    if (text.isBlank()) {
      return new Choice.Unset();
    }
    return text.equals(SettingParsers.OFF) ? new Choice.Off() : new Choice.At(HostPort.parse(text));
  }

  /**
   * Returns where the console is; empty = there is none.
   *
   * @param loopback whether the gRPC server listens on a loopback address
   */
  static Optional<ConsoleListen> read(SettingValues values, HostPort listen, boolean loopback) {
    var logs = values.get(CONSOLE_LOG_LINK);
    return switch (values.get(CONSOLE_LISTEN)) {
      case Choice.Off() -> Optional.empty();
      case Choice.At(var address) ->
          Optional.of(new ConsoleListen(address, true, hosts(values, address), logs));
      case Choice.Unset() ->
          loopback && listen.port() != 0
              ? Optional.of(new ConsoleListen(DEFAULT, false, hosts(values, DEFAULT), logs))
              : Optional.empty();
    };
  }

  private static Set<String> hosts(SettingValues values, HostPort address) {
    var hosts = new HashSet<>(values.get(CONSOLE_HOSTS));
    hosts.addAll(LOOPBACK);
    hosts.add(address.host().contains(":") ? "[" + address.host() + "]" : address.host());
    return hosts;
  }
}
