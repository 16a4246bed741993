package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.config.ConsoleListen;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.HttpSettings;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Setting;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.server.ListenPort;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Checks of the addresses on which a server listens. */
final class PortChecks {
  private static final int CONNECT_MILLIS = 1_000;

  private final ServerConfig config;

  PortChecks(ServerConfig config) {
    this.config = config;
  }

  /** An address, and the setting that has it. */
  private record Address(HostPort address, Setting<?> setting) {
    DatabaseFinding free() {
      return DatabaseFinding.ok(setting.name(), address + " is free");
    }

    DatabaseFinding inUse(String unless) {
      return DatabaseFinding.warn(
          setting.name(),
          "%s is in use: %s, set another port with %s".formatted(address, unless, setting.flag()));
    }

    DatabaseFinding check() {
      try {
        ListenPort.requireFree(address, setting);
        return free();
      } catch (IOException e) {
        return DatabaseFinding.fail(setting.name(), String.valueOf(e.getMessage()));
      }
    }

    boolean accepts() {
      try (var socket = new Socket()) {
        socket.connect(address.socketAddress(), CONNECT_MILLIS);
        return true;
      } catch (IOException _) {
        return false;
      }
    }
  }

  /** Checks the addresses of a server that does not run. */
  List<DatabaseFinding> ofStopped() {
    return addresses().stream()
        .map(each -> each.accepts() && isOptional(each) ? withoutConsole(each) : each.check())
        .toList();
  }

  /** Checks the addresses of a server that may run: then it is the one that uses the ports. */
  List<DatabaseFinding> besideServer() {
    return addresses().stream()
        .map(each -> each.accepts() ? each.inUse("if not by this server") : each.check())
        .toList();
  }

  private boolean isOptional(Address address) {
    return address.setting().equals(Settings.CONSOLE_LISTEN)
        && !config.consoleListen().map(ConsoleListen::required).orElse(true);
  }

  private static DatabaseFinding withoutConsole(Address address) {
    return address.inUse("this server would have no console");
  }

  private List<Address> addresses() {
    var addresses = new ArrayList<Address>();
    addresses.add(new Address(config.listen(), Settings.LISTEN));
    config
        .metricsListen()
        .ifPresent(each -> addresses.add(new Address(each, Settings.METRICS_LISTEN)));
    config
        .httpListen()
        .ifPresent(each -> addresses.add(new Address(each, HttpSettings.HTTP_LISTEN)));
    config
        .consoleListen()
        .ifPresent(each -> addresses.add(new Address(each.address(), Settings.CONSOLE_LISTEN)));
    return addresses;
  }
}
