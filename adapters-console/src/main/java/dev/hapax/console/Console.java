package dev.hapax.console;

import dev.hapax.console.bulk.BulkJobPage;
import dev.hapax.console.bulk.BulkJobs;
import dev.hapax.console.bulk.BulkVerbPage;
import dev.hapax.console.claim.ClaimListPage;
import dev.hapax.console.definition.DefinitionListPage;
import dev.hapax.console.definition.DefinitionPage;
import dev.hapax.console.entity.EntityListPage;
import dev.hapax.console.entity.EntityPage;
import dev.hapax.console.entity.ReleasePage;
import dev.hapax.console.entity.ReleaseVerb;
import dev.hapax.console.find.FindPage;
import dev.hapax.console.hook.HookSearchPage;
import dev.hapax.console.hook.SignalHookPage;
import dev.hapax.console.janitor.JanitorListPage;
import dev.hapax.console.janitor.JanitorPage;
import dev.hapax.console.janitor.SweepPage;
import dev.hapax.console.lifecycle.LifecycleListPage;
import dev.hapax.console.lifecycle.LifecyclePage;
import dev.hapax.console.limit.LimitListPage;
import dev.hapax.console.limit.LimitVerb;
import dev.hapax.console.limit.LimitVerbPage;
import dev.hapax.console.login.LoginPage;
import dev.hapax.console.login.WorkspacePage;
import dev.hapax.console.operation.OperationListPage;
import dev.hapax.console.operation.OperationPage;
import dev.hapax.console.operation.ResolvePage;
import dev.hapax.console.operation.ResolveVerb;
import dev.hapax.console.overview.OverviewPage;
import dev.hapax.console.queue.QueueListPage;
import dev.hapax.console.run.RunListPage;
import dev.hapax.console.run.RunPage;
import dev.hapax.console.run.RunVerb;
import dev.hapax.console.run.RunVerbPage;
import dev.hapax.console.run.SettlePage;
import dev.hapax.console.server.ServerListPage;
import dev.hapax.console.web.ConsoleConfig;
import dev.hapax.console.web.ConsoleHandler;
import dev.hapax.console.web.Route;
import dev.hapax.console.workspace.WorkspaceListPage;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The console: the table of its pages. */
public final class Console {
  private Console() {}

  /**
   * The table of addresses and their pages. A new page has a line here and, if it is a section, in
   * Section.
   */
  private static List<Route> routes(ConsoleConfig config) {
    var login = new LoginPage();
    var workspace = new WorkspacePage();
    var find = new FindPage();
    var hooks = new HookSearchPage();
    var settle = new SettlePage();
    var sweep = new SweepPage();
    var pages =
        List.of(
            Route.form("/login", login, login::logIn).withoutCredentials(),
            Route.action("/logout", login::logOut).withoutCredentials(),
            Route.page("/", workspace),
            Route.page("/open", workspace),
            Route.page("/w/{workspace}/", new OverviewPage()).refreshed(),
            Route.form("/w/{workspace}/find", find, find),
            Route.page("/w/{workspace}/runs", new RunListPage()),
            Route.page("/w/{workspace}/runs/{run}", new RunPage(config.logs())),
            Route.form("/w/{workspace}/runs/{run}/settle", settle, settle),
            Route.page("/w/{workspace}/operations", new OperationListPage()),
            Route.page("/w/{workspace}/operations/one", new OperationPage()),
            Route.form("/w/{workspace}/hooks", hooks, hooks),
            Route.action("/w/{workspace}/hooks/signal", new SignalHookPage()),
            Route.page("/w/{workspace}/claims", new ClaimListPage()),
            Route.page("/w/{workspace}/janitors", new JanitorListPage()),
            Route.page("/w/{workspace}/janitors/{module}", new JanitorPage()),
            Route.form("/w/{workspace}/janitors/{module}/sweep", sweep, sweep),
            Route.page("/w/{workspace}/queues", new QueueListPage()),
            Route.page("/w/{workspace}/workspaces", new WorkspaceListPage()).refreshed(),
            Route.page("/w/{workspace}/servers", new ServerListPage()).refreshed(),
            Route.page("/w/{workspace}/limits", new LimitListPage()),
            Route.page("/w/{workspace}/definitions", new DefinitionListPage()),
            Route.page("/w/{workspace}/definitions/{definition}/{version}", new DefinitionPage()),
            Route.page("/w/{workspace}/entities", new EntityListPage()),
            Route.page("/w/{workspace}/entities/{lifecycle}/{entity}", new EntityPage()),
            Route.page("/w/{workspace}/lifecycles", new LifecycleListPage()),
            Route.page("/w/{workspace}/lifecycles/{lifecycle}", new LifecyclePage()));
    return Stream.of(
            pages.stream(),
            Arrays.stream(RunVerb.values()).map(RunVerbPage::new).map(RunVerbPage::route),
            Arrays.stream(ReleaseVerb.values()).map(ReleasePage::new).map(ReleasePage::route),
            Arrays.stream(ResolveVerb.values()).map(ResolvePage::new).map(ResolvePage::route),
            Arrays.stream(LimitVerb.values()).map(LimitVerbPage::new).map(LimitVerbPage::route),
            bulk())
        .flatMap(routes -> routes)
        .toList();
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
   * @param data a number that differs when pages may show something else
   */
  public static ConsoleHandler handler(ConsoleConfig config, LongSupplier data) {
    return config.handler(routes(config), data);
  }
}
