package dev.hapax.console.web;

import dev.hapax.console.view.Access;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.PageFrame;
import dev.hapax.console.view.Section;
import dev.hapax.v1.WhoAmIRequest;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the visitor and the page of a request, and turns the reply of the page into an answer. */
final class Visits {
  private static final int FORBIDDEN = 403;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int MAX_FORM = 1 << 20;

  /** A login has no more than a key or a token. */
  private static final int MAX_ANONYMOUS_FORM = 16 << 10;

  private static final String WORKSPACE = "[a-z][a-z0-9-]{0,62}";
  private static final String DEFAULT_WORKSPACE = "default";
  private static final String CREDENTIAL = "[\\x21-\\x7e]{1,6000}";
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final List<Route> routes;
  private final SessionCookie cookie;
  private final PageStates states;
  private final Templates templates;
  private final InstantSource clock;
  private final WebSessions sessions = new WebSessions();
  private final KeyedHash formTokens = new KeyedHash();

  Visits(
      List<Route> routes,
      SessionCookie cookie,
      PageStates states,
      Templates templates,
      InstantSource clock) {
    this.routes = List.copyOf(routes);
    this.cookie = cookie;
    this.states = states;
    this.templates = templates;
    this.clock = clock;
  }

  private record Found(Route route, Map<String, String> segments) {}

  /** The most bytes of a form, as far as its sender has proved to be a visitor. */
  int maxForm(ConsoleRequest head) {
    return head.needsLogin() && cookie.read(head).flatMap(sessions::credential).isEmpty()
        ? MAX_ANONYMOUS_FORM
        : MAX_FORM;
  }

  WebAnswer answer(ConsoleRequest request) throws RefusedVisitException {
    var given = cookie.read(request);
    var session = given.orElseGet(sessions::newId);
    var answer = answer(request, session);
    return given.isPresent() || answer.header("Set-Cookie").isPresent()
        ? answer
        : answer.with("Set-Cookie", cookie.header(request, session));
  }

  private WebAnswer answer(ConsoleRequest request, String session) throws RefusedVisitException {
    var path = request.path();
    var found = find(path);
    var credential = sessions.credential(session);
    var api = api(request, credential);
    Optional<Access> access;
    try {
      // without a call that must fail, which the server would report as one of an intruder
      access = credential.isEmpty() && request.needsLogin() ? Optional.empty() : access(api);
    } catch (StatusRuntimeException e) {
      // such as a server that is overloaded or drains; the credentials may be good
      var visit = visit(request, api, Access.NONE, found);
      return html(visit, session, states.current(visit, session, Duration.ZERO), failed(e));
    }
    if (access.isEmpty()) {
      sessions.end(session);
      if (found.isEmpty() || !found.get().route().open()) {
        return toLogin(request);
      }
    }
    var visit = visit(request, api, access.orElse(Access.NONE), found);
    try {
      if (found.isEmpty()) {
        return html(visit, session, states.current(visit, session, Duration.ZERO), missing(path));
      }
      return request.isPost()
          ? posted(request, session, found.get(), visit)
          : shown(request, session, found.get(), visit);
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.UNAUTHENTICATED) {
        sessions.end(session);
        return toLogin(request);
      }
      return html(visit, session, states.current(visit, session, Duration.ZERO), failed(e));
    }
  }

  private Optional<Found> find(String path) {
    for (var route : routes) {
      var segments = route.match(path);
      if (segments.isPresent()
          && segments.get().getOrDefault(Route.WORKSPACE, DEFAULT_WORKSPACE).matches(WORKSPACE)) {
        return Optional.of(new Found(route, segments.get()));
      }
    }
    return Optional.empty();
  }

  private static Api api(ConsoleRequest request, Optional<String> credential) {
    var channel = request.channel();
    if (credential.isEmpty()) {
      return new Api(channel);
    }
    var headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + credential.get());
    return new Api(
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers)));
  }

  /** Returns what the visitor may do; empty = the server refuses the credentials. */
  private static Optional<Access> access(Api api) {
    try {
      var answer = api.identity().whoAmI(WhoAmIRequest.getDefaultInstance());
      return Optional.of(new Access(answer.getPrincipal()));
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.UNAUTHENTICATED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Visit visit(ConsoleRequest request, Api api, Access access, Optional<Found> found) {
    var segments = found.map(Found::segments).orElse(Map.of());
    var workspace =
        segments.getOrDefault(
            Route.WORKSPACE, access.workspaces().stream().findFirst().orElse(DEFAULT_WORKSPACE));
    var query = Optional.ofNullable(request.address().getRawQuery()).orElse("");
    return new Visit(
        api, access, workspace, segments, request.path(), Fields.parse(query), clock.instant());
  }

  private static WebAnswer toLogin(ConsoleRequest request) {
    var next = request.address().toASCIIString();
    return WebAnswer.seeOther("/login?next=" + Address.encoded(next));
  }

  private WebAnswer shown(ConsoleRequest request, String session, Found found, Visit visit)
      throws RefusedVisitException {
    var page = found.route().page();
    if (page.isEmpty()) {
      throw new RefusedVisitException(
          METHOD_NOT_ALLOWED, "This address takes forms only. Go back and use the button.");
    }
    var validFor = found.route().validFor();
    var state = states.current(visit, session, validFor);
    if (!validFor.isZero() && request.header("If-None-Match").equals(Optional.of(state))) {
      return WebAnswer.notModified();
    }
    return answer(request, session, visit, state, page.get().show(visit));
  }

  private WebAnswer posted(ConsoleRequest request, String session, Found found, Visit visit)
      throws RefusedVisitException {
    var action = found.route().action();
    if (action.isEmpty()) {
      throw new RefusedVisitException(METHOD_NOT_ALLOWED, "This address takes no form.");
    }
    var form = Fields.parse(request.body());
    if (!formTokens.matches(form.text("form-token"), session)) {
      throw new RefusedVisitException(
          FORBIDDEN, "The form is from another session, so nothing was done. Reload its page.");
    }
    return answer(
        request,
        session,
        visit,
        states.current(visit, session, Duration.ZERO),
        action.get().perform(visit, form));
  }

  private WebAnswer answer(
      ConsoleRequest request, String session, Visit visit, String state, Reply reply) {
    return switch (reply) {
      case Reply.Html page -> html(visit, session, state, page);
      case Reply.SeeOther(var path) -> WebAnswer.seeOther(path);
      case Reply.LoggedIn(var credential, var path) -> {
        var access =
            credential.matches(CREDENTIAL)
                ? access(api(request, Optional.of(credential)))
                : Optional.<Access>empty();
        if (access.isEmpty()) {
          yield WebAnswer.seeOther("/login?refused=yes&next=" + Address.encoded(path));
        }
        sessions.end(session);
        var begun = sessions.begin(credential, access.get().name());
        yield WebAnswer.seeOther(path).with("Set-Cookie", cookie.header(request, begun));
      }
      case Reply.LoggedOut _ -> {
        sessions.end(session);
        yield WebAnswer.seeOther("/login")
            .with("Set-Cookie", cookie.header(request, sessions.newId()));
      }
    };
  }

  private WebAnswer html(Visit visit, String session, String state, Reply.Html page) {
    var frame =
        new PageFrame(
            page.title(),
            page.section(),
            visit.workspace(),
            visit.access(),
            formTokens.of(session),
            state,
            visit.now());
    return WebAnswer.html(page.status(), templates.render(page.template(), frame, page.view()))
        .with("ETag", state);
  }

  private static Reply.Html missing(String path) {
    return Reply.missing("The console has no page %s.".formatted(path));
  }

  private static Reply.Html failed(StatusRuntimeException error) {
    var view = CallErrors.view(error);
    return new Reply.Html(
        CallErrors.httpStatus(error.getStatus().getCode()),
        Section.OVERVIEW,
        view.heading(),
        "error.jte",
        view);
  }
}
