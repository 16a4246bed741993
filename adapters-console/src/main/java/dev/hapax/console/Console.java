package dev.hapax.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.hapax.console.bulk.BulkJobPage;
import dev.hapax.console.bulk.BulkJobs;
import dev.hapax.console.bulk.BulkVerbPage;
import dev.hapax.console.find.FindPage;
import dev.hapax.console.login.LoginPage;
import dev.hapax.console.login.WorkspacePage;
import dev.hapax.console.overview.OverviewPage;
import dev.hapax.console.run.RunListPage;
import dev.hapax.console.run.RunPage;
import dev.hapax.console.run.RunVerb;
import dev.hapax.console.run.RunVerbPage;
import dev.hapax.console.web.ConsoleConfig;
import dev.hapax.console.web.Route;
import io.grpc.Channel;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The console: the table of its pages. */
public final class Console {
  private Console() {}

  /** What answers which address. A new page has a line here and, if it is a section, in Section. */
  private static List<Route> routes() {
    var login = new LoginPage();
    var workspace = new WorkspacePage();
    var find = new FindPage();
    var pages =
        List.of(
            Route.form("/login", login, login::logIn).withoutCredentials(),
            Route.action("/logout", login::logOut).withoutCredentials(),
            Route.page("/", workspace),
            Route.page("/open", workspace),
            Route.page("/w/{workspace}/", new OverviewPage()),
            Route.form("/w/{workspace}/find", find, find),
            Route.page("/w/{workspace}/runs", new RunListPage()),
            Route.page("/w/{workspace}/runs/{run}", new RunPage()));
    var verbs = Arrays.stream(RunVerb.values()).map(RunVerbPage::new).map(RunVerbPage::route);
    return Stream.of(pages.stream(), verbs, bulk()).flatMap(routes -> routes).toList();
  }

  private static Stream<Route> bulk() {
    var jobs = new BulkJobs();
    return Stream.concat(
        Stream.of(Route.page("/w/{workspace}/bulk/job/{job}", new BulkJobPage(jobs)).alwaysFresh()),
        Arrays.stream(RunVerb.values())
            .filter(RunVerb::isBulk)
            .map(verb -> new BulkVerbPage(verb, jobs).route()));
  }

  /**
   * Makes the console.
   *
   * @param channels the channel for calls of the client of an exchange
   * @param data a number that differs when pages may show something else
   */
  public static HttpHandler handler(
      ConsoleConfig config, Function<HttpExchange, Channel> channels, LongSupplier data) {
    return config.handler(routes(), channels, data);
  }
}
