package dev.hapax.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.util.EnumSet;

/** An embedded servlet container with one filter before one servlet, both for all paths. */
interface Container {

  /** The one that the build has put on the class path. */
  static Container start(Filter outer, Filter filter, HttpServlet servlet) throws Exception {
    return System.getProperty("hapax.container", "tomcat").startsWith("jetty")
        ? JettyContainer.start(outer, filter, servlet)
        : TomcatContainer.start(outer, filter, servlet);
  }

  EnumSet<DispatcherType> DISPATCHES = IdempotencyFilter.dispatches();

  int port();

  /** Such as {@code Apache Tomcat/11.0.27}. */
  String version();

  void close() throws Exception;
}
