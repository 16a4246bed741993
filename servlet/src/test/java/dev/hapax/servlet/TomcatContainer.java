package dev.hapax.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.apache.tomcat.util.modeler.Registry;

/** Tomcat. */
record TomcatContainer(Tomcat tomcat) implements Container {

  static Container start(Filter outer, Filter filter, HttpServlet servlet) throws Exception {
    Logger.getLogger("org.apache").setLevel(Level.WARNING);
    // several run at once in this JVM, and would have the same names in JMX
    Registry.disableRegistry();
    Path folder = Files.createTempDirectory("hapax-tomcat");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("", new File(folder.toString()).getAbsolutePath());
    add(context, "outer", outer);
    add(context, "idempotency", filter);
    Wrapper handlers = Tomcat.addServlet(context, "handlers", servlet);
    handlers.setAsyncSupported(true);
    handlers.addMapping("/*");
    tomcat.getConnector();
    tomcat.start();
    return new TomcatContainer(tomcat);
  }

  private static void add(Context context, String name, Filter filter) {
    FilterDef definition = new FilterDef();
    definition.setFilterName(name);
    definition.setFilter(filter);
    definition.setAsyncSupported("true");
    context.addFilterDef(definition);
    FilterMap mapping = new FilterMap();
    mapping.setFilterName(name);
    mapping.addURLPattern("/*");
    for (DispatcherType each : DISPATCHES) {
      mapping.setDispatcher(each.name());
    }
    context.addFilterMap(mapping);
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public String version() {
    return ServerInfo.getServerInfo();
  }

  @Override
  public void close() throws Exception {
    tomcat.stop();
    tomcat.destroy();
  }
}
