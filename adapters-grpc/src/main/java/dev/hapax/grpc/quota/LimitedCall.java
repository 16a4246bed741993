package dev.hapax.grpc.quota;

import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.security.Principal;
import dev.hapax.grpc.call.CallMeter;
import dev.hapax.grpc.call.OpenPlace;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WorkRequest;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ServerCall;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A call that counts against the limits. A unary call above a rate is refused. A stream gets credit
 * for its calls, and is read more slowly until they are paid for; above the credit, they are
 * refused one by one.
 */
final class LimitedCall<Q, A> extends SimpleForwardingServerCall<Q, A> implements CallMeter {
  /** The time after which to retry when the number of open calls, not their rate, is the limit. */
  private static final Duration RETRY_OPEN = Duration.ofSeconds(5);

  private static final String HTTP_CALLS = "open HTTP calls";

  private final CallLimitInterceptor limits;
  private final boolean isByHttp;
  private volatile Optional<String> principal = Optional.empty();

  // guarded by this
  private boolean isRead;
  private int paid;
  private Duration pause = Duration.ZERO;
  private final Set<OpenPlace> places = new HashSet<>();
  private boolean ended;

  LimitedCall(ServerCall<Q, A> delegate, CallLimitInterceptor limits) {
    super(delegate);
    this.limits = limits;
    this.isByHttp = delegate.getAttributes().get(CallLimitInterceptor.BY_HTTP) != null;
  }

  @Override
  public void begin(Principal caller) {
    if (caller.kind() != Principal.Kind.LOCAL) {
      var key = caller.toString();
      principal = Optional.of(key);
      countForPrincipal(key, 1);
      if (isByHttp) {
        open(limits.httpCallsOfPrincipal, key, "", "http-calls-per-principal", HTTP_CALLS);
      }
    }
  }

  /** Counts a message, which pays for its first call; the first one is counted as the call. */
  void received() {
    boolean isNext;
    synchronized (this) {
      isNext = isRead;
      isRead = true;
      paid = 1;
    }
    if (isNext) {
      // a message cannot be refused by itself, and the next one waits
      principal.ifPresent(key -> take(limits.callsOfPrincipal, key, 1));
    }
  }

  @Override
  public void countForPrincipal(Message request) {
    var calls = calls(request);
    int unpaid;
    synchronized (this) {
      unpaid = Math.max(0, calls - paid);
      paid = Math.max(0, paid - calls);
    }
    principal.ifPresent(
        key -> {
          if (unpaid > 0) {
            countForPrincipal(key, unpaid);
          }
        });
  }

  private void countForPrincipal(String key, int calls) {
    var retry = take(limits.callsOfPrincipal, key, calls);
    if (retry.isPresent()) {
      throw limits.refuse(
          "",
          "calls-per-second-per-principal",
          "this caller has reached its calls per second",
          retry.get());
    }
  }

  @Override
  public void countForWorkspaces(Message request, List<String> workspaces) {
    for (var workspace : workspaces) {
      // the handler rejects the others
      if (Workspace.isValid(workspace)) {
        countForWorkspace(request, workspace);
      }
    }
  }

  private void countForWorkspace(Message request, String workspace) {
    var retry = take(limits.callsOfWorkspace, workspace, calls(request));
    if (retry.isPresent()) {
      throw limits.refuse(
          workspace,
          "calls-per-second-per-workspace",
          "workspace %s has reached its calls per second".formatted(workspace),
          retry.get());
    }
  }

  @Override
  public OpenPlace open(Message request, List<String> workspaces) {
    if (isByHttp && principal.isPresent()) {
      openForWorkspaces(
          limits.httpCallsOfWorkspace, workspaces, "http-calls-per-workspace", HTTP_CALLS);
    }
    if (request instanceof WatchRunRequest) {
      openWatch(workspaces);
    } else if (principal.isPresent() && waits(request)) {
      var key = principal.get();
      return open(limits.waitsOfPrincipal, key, "", "waits-per-principal", "calls that wait");
    }
    return OpenPlace.NONE;
  }

  /** Takes the places of a watch, which ends with its call. */
  private void openWatch(List<String> workspaces) {
    principal.ifPresent(
        key -> open(limits.watchesOfPrincipal, key, "", "watches-per-principal", "open watches"));
    openForWorkspaces(
        limits.watchesOfWorkspace, workspaces, "watches-per-workspace", "open watches");
  }

  private void openForWorkspaces(
      OpenCallQuota quota, List<String> workspaces, String limit, String what) {
    workspaces.stream()
        .filter(Workspace::isValid)
        .forEach(each -> open(quota, each, each, limit, what));
  }

  /** Whether a request waits for an answer; a Work stream polls until it ends. */
  private static boolean waits(Message request) {
    return WaitField.mayWait(request) || (request instanceof WorkRequest work && work.hasOpen());
  }

  private static int calls(Message request) {
    return request instanceof StartRunsRequest starts ? Math.max(1, starts.getRequestsCount()) : 1;
  }

  private boolean isStream() {
    return !getMethodDescriptor().getType().serverSendsOneMessage();
  }

  private Optional<Duration> take(RateLimit rate, String key, int calls) {
    if (!isStream()) {
      return rate.admit(key, calls);
    }
    var retry = rate.admitOnCredit(key, calls);
    var debt = rate.debt(key);
    synchronized (this) {
      pause = debt.compareTo(pause) > 0 ? debt : pause;
    }
    return retry;
  }

  private OpenPlace open(
      OpenCallQuota quota, String key, String workspace, String limit, String what) {
    if (!quota.take(key)) {
      var who = workspace.isEmpty() ? "this caller" : "workspace " + workspace;
      throw limits.refuse(workspace, limit, who + " has too many " + what, RETRY_OPEN);
    }
    var place = new QuotaPlace(quota, key);
    if (!keep(place)) {
      place.free();
    }
    return place;
  }

  /** Asks for the next message, once the calls of the last one are paid for. */
  @Override
  public void request(int messages) {
    Duration wait;
    synchronized (this) {
      wait = pause;
      pause = Duration.ZERO;
    }
    if (wait.isZero()) {
      super.request(messages);
      return;
    }
    CompletableFuture.delayedExecutor(wait.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
        .execute(() -> super.request(messages));
  }

  /** Keeps a place until the end of the call; false = the call has ended. */
  private synchronized boolean keep(OpenPlace place) {
    return !ended && places.add(place);
  }

  /** Frees the places of the call. */
  void end() {
    List<OpenPlace> taken;
    synchronized (this) {
      ended = true;
      taken = List.copyOf(places);
    }
    taken.forEach(OpenPlace::free);
  }

  /** A place that is freed once: when the request is answered, or when the call ends. */
  private final class QuotaPlace implements OpenPlace {
    private final OpenCallQuota quota;
    private final String key;
    private final AtomicBoolean isFree = new AtomicBoolean();

    QuotaPlace(OpenCallQuota quota, String key) {
      this.quota = quota;
      this.key = key;
    }

    @Override
    public void free() {
      if (isFree.compareAndSet(false, true)) {
        synchronized (LimitedCall.this) {
          places.remove(this);
        }
        quota.free(key);
      }
    }
  }
}
