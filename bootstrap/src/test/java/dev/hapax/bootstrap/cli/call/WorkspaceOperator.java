package dev.hapax.bootstrap.cli.call;

import dev.hapax.bootstrap.cli.call.Operator.Said;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** An operator with a workspace for each test. All classes share one server. */
public final class WorkspaceOperator implements BeforeEachCallback {
  private static final Namespace SERVER = Namespace.create(WorkspaceOperator.class);

  private @Nullable Operator shared;
  private String workspace = "";

  @Override
  public void beforeEach(ExtensionContext test) {
    // JUnit closes it after the last class
    shared =
        test.getRoot()
            .getStore(SERVER)
            .computeIfAbsent(Operator.class, _ -> start(), Operator.class);
    var noun = test.getRequiredTestClass().getSimpleName().replace("CommandsIT", "");
    workspace = (noun + "-" + test.getRequiredTestMethod().getName()).toLowerCase(Locale.ROOT);
  }

  private static Operator start() {
    try {
      return new Operator();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private Operator operator() {
    return Objects.requireNonNull(shared, "only in a test");
  }

  public String workspace() {
    return workspace;
  }

  public String address() {
    return operator().address();
  }

  /** Runs a command in the workspace of the test. */
  public Said hapax(String command, String... arguments) {
    return operator()
        .hapax(
            workspace,
            Stream.concat(Stream.of(command), Stream.of(arguments)).toArray(String[]::new));
  }
}
