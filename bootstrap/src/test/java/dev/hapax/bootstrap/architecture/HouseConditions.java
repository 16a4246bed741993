package dev.hapax.bootstrap.architecture;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;

/** What ArchUnit has no words for. */
final class HouseConditions {
  /** What decisions may know of concurrency: answers that come later. */
  private static final Set<String> ANSWERS =
      Set.of("CompletableFuture", "CompletionStage", "CompletionException");

  private static final Set<String> THREADS =
      Set.of(
          "java.lang.Thread",
          "java.lang.ThreadLocal",
          "java.lang.ScopedValue",
          "java.util.Timer",
          "java.util.TimerTask");

  private HouseConditions() {}

  /** Calls and method references. */
  static ArchCondition<JavaClass> notCall(String what, Predicate<CodeUnitAccessTarget> forbidden) {
    return condition(
        "not " + what,
        (subject, found) ->
            subject.getCodeUnitAccessesFromSelf().stream()
                .filter(access -> forbidden.test(access.getTarget()))
                .forEach(access -> found.accept(access.getDescription())));
  }

  static boolean readsAClock(CodeUnitAccessTarget called) {
    var owner = called.getOwner().getName();
    return switch (called.getName()) {
      case "now" -> owner.startsWith("java.time.");
      case "currentTimeMillis", "nanoTime" -> owner.equals("java.lang.System");
      case "<init>" -> owner.equals("java.util.Date");
      default -> owner.equals("java.time.Clock") || owner.equals("java.time.InstantSource");
    };
  }

  /** How long something takes may be measured, and a clock that is handed in may be read. */
  static boolean readsAWallClock(CodeUnitAccessTarget called) {
    return readsAClock(called)
        && !called.getName().equals("nanoTime")
        && !called.getFullName().equals("java.time.InstantSource.instant()");
  }

  static boolean drawsRandomly(CodeUnitAccessTarget called) {
    var owner = called.getOwner().getName();
    return switch (called.getName()) {
      case "randomUUID", "shuffle" -> true;
      case "random" -> owner.equals("java.lang.Math");
      default -> owner.matches("java\\.(util|security)\\..*Random(Generator)?");
    };
  }

  static boolean endsTheProcess(CodeUnitAccessTarget called) {
    var owner = called.getOwner().getName();
    return switch (called.getName()) {
      case "exit" -> owner.equals("java.lang.System") || owner.equals("java.lang.Runtime");
      case "halt" -> owner.equals("java.lang.Runtime");
      default -> false;
    };
  }

  static ArchCondition<JavaClass> notUseThreads() {
    return condition(
        "not use threads",
        (subject, found) -> {
          subject.getDirectDependenciesFromSelf().stream()
              .filter(dependency -> isThreading(dependency.getTargetClass()))
              .forEach(dependency -> found.accept(dependency.getDescription()));
          subject.getCodeUnitAccessesFromSelf().stream()
              .filter(access -> leavesTheThread(access.getTarget()))
              .forEach(access -> found.accept(access.getDescription()));
        });
  }

  private static boolean isThreading(JavaClass used) {
    return THREADS.contains(used.getName())
        || (used.getPackageName().startsWith("java.util.concurrent")
            && !ANSWERS.contains(used.getSimpleName()));
  }

  private static boolean leavesTheThread(CodeUnitAccessTarget called) {
    return called.getName().equals("parallelStream")
        || (called.getName().endsWith("Async")
            && called.getOwner().getPackageName().equals("java.util.concurrent"));
  }

  static ArchCondition<JavaClass> resideInANullMarkedPackage() {
    return condition(
        "be in a package whose package-info is @NullMarked",
        (subject, found) -> {
          var isMarked =
              subject
                  .getPackage()
                  .tryGetPackageInfo()
                  .filter(info -> info.isAnnotatedWith(NullMarked.class))
                  .isPresent();
          if (!isMarked) {
            found.accept(subject.getName() + " is in a package without a @NullMarked package-info");
          }
        });
  }

  static ArchCondition<JavaClass> haveClassFileVersion(int version) {
    return condition(
        "have class file version " + version,
        (subject, found) -> {
          var actual = classFileVersion(subject);
          if (actual != version) {
            found.accept(subject.getName() + " has class file version " + actual);
          }
        });
  }

  private static int classFileVersion(JavaClass subject) {
    var file = subject.getSource().orElseThrow().getUri();
    try (var content = new DataInputStream(file.toURL().openStream())) {
      var magicAndMinor = Integer.BYTES + Short.BYTES;
      content.skipNBytes(magicAndMinor);
      return content.readUnsignedShort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Checks a class and reports each violation. */
  private interface Look {
    void at(JavaClass subject, Consumer<String> found);
  }

  private static ArchCondition<JavaClass> condition(String description, Look look) {
    return new ArchCondition<>(description) {
      @Override
      public void check(JavaClass subject, ConditionEvents events) {
        look.at(subject, what -> events.add(SimpleConditionEvent.violated(subject, what)));
      }
    };
  }
}
