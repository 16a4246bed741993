package dev.hapax.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Jetty with Servlet 6.0. */
record JettyContainer(Server server) implements Container {

  static Container start(Filter outer, Filter filter, HttpServlet servlet) throws Exception {
    Server server = new Server(0);
    ServletContextHandler context = new ServletContextHandler("/");
    add(context, outer);
    add(context, filter);
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    server.setHandler(context);
    server.start();
    return new JettyContainer(server);
  }

  private static void add(ServletContextHandler context, Filter filter) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    context.addFilter(holder, "/*", DISPATCHES);
  }

  @Override
  public int port() {
    return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
  }

  @Override
  public String version() {
    return "jetty " + Server.getVersion();
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }
}
