package dev.hapax.bootstrap.database;

import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Opens single connections for startup and checks. */
public final class Connections {
  private static final String CONNECT_SECONDS = "5";

  private Connections() {}

  public static Connection open(JdbcTarget target) throws SQLException {
    var properties = new Properties();
    properties.setProperty("connectTimeout", CONNECT_SECONDS);
    properties.setProperty("ApplicationName", "hapax");
    // the detail of an error may show a row, and with it a payload
    properties.setProperty("logServerErrorDetail", "false");
    target.user().ifPresent(user -> properties.setProperty("user", user));
    target.password().current().ifPresent(password -> properties.setProperty("password", password));
    return DriverManager.getConnection(target.url().value(), properties);
  }
}
