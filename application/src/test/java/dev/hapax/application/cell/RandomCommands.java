package dev.hapax.application.cell;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.SignalRun;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/** Makes random values of records, all of them in one workspace. */
final class RandomCommands {
  private static final int TRIES = 200;
  private static final int MOST_ELEMENTS = 3;
  private static final int MOST_BYTES = 33;

  private final Random random;
  private final Workspace workspace;
  private final Map<TypeVariable<?>, Type> bindings = new HashMap<>();

  RandomCommands(long seed, Workspace workspace) {
    this.random = new Random(seed);
    this.workspace = workspace;
  }

  /** Draws again while a constructor rejects what was drawn. */
  Object record(Class<?> type) {
    var rejected = new ArrayList<Throwable>();
    for (var tries = 0; tries < TRIES; tries++) {
      try {
        return drawn(type);
      } catch (IllegalArgumentException e) {
        rejected.add(e);
      }
    }
    throw new IllegalStateException(type + " rejects all values", rejected.getLast());
  }

  private Object drawn(Class<?> type) {
    var components = type.getRecordComponents();
    var types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    var values = Arrays.stream(components).map(each -> value(each.getGenericType())).toArray();
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(type.getSimpleName(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type.getName(), e);
    }
  }

  private Object value(Type type) {
    return switch (type) {
      case Class<?> plain -> value(plain);
      case ParameterizedType generic -> value(generic);
      case TypeVariable<?> variable -> value(Objects.requireNonNull(bindings.get(variable)));
      case WildcardType wildcard -> value(wildcard.getUpperBounds()[0]);
      default -> throw new IllegalStateException("no value of " + type);
    };
  }

  private Object value(ParameterizedType generic) {
    var raw = (Class<?>) generic.getRawType();
    var element = generic.getActualTypeArguments()[0];
    if (raw == Optional.class) {
      return random.nextBoolean() ? Optional.of(value(element)) : Optional.empty();
    }
    if (Map.class.isAssignableFrom(raw)) {
      var entries = new TreeMap<Object, Object>(Comparator.comparing(String::valueOf));
      for (var i = 1 + random.nextInt(MOST_ELEMENTS); i > 0; i--) {
        entries.put(value(element), value(generic.getActualTypeArguments()[1]));
      }
      return entries;
    }
    if (Collection.class.isAssignableFrom(raw)) {
      var elements = new ArrayList<>();
      for (var i = random.nextInt(MOST_ELEMENTS); i > 0; i--) {
        elements.add(value(element));
      }
      return Set.class.isAssignableFrom(raw) ? new LinkedHashSet<>(elements) : elements;
    }
    for (var i = 0; i < raw.getTypeParameters().length; i++) {
      bindings.put(raw.getTypeParameters()[i], generic.getActualTypeArguments()[i]);
    }
    return value(raw);
  }

  private Object value(Class<?> type) {
    if (type == Workspace.class) {
      return workspace;
    }
    if (type == String.class || type == CharSequence.class) {
      return "n" + random.nextInt(10);
    }
    if (type == int.class || type == Integer.class) {
      return random.nextInt(10);
    }
    if (type == short.class) {
      return (short) random.nextInt(10);
    }
    if (type == long.class || type == Long.class) {
      return (long) random.nextInt(10);
    }
    if (type == double.class || type == Double.class) {
      return 1 + random.nextDouble();
    }
    if (type == boolean.class || type == Boolean.class) {
      return random.nextBoolean();
    }
    if (type == Command.class) {
      return record(SignalRun.class);
    }
    if (type == UUID.class) {
      return new UUID(random.nextLong(), random.nextLong());
    }
    if (type == Instant.class) {
      return Instant.ofEpochSecond(random.nextInt());
    }
    if (type == Duration.class) {
      return Duration.ofSeconds(random.nextInt(3_600));
    }
    if (type == OptionalInt.class) {
      return OptionalInt.of(random.nextInt(10));
    }
    if (type == OptionalLong.class) {
      return OptionalLong.of(random.nextInt(10));
    }
    if (type == byte[].class) {
      return new byte[random.nextInt(MOST_BYTES)];
    }
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
    }
    if (type.isSealed()) {
      var permitted =
          Stream.of(type.getPermittedSubclasses())
              .filter(each -> each.isRecord() || each.isSealed() || each.isEnum())
              .toList();
      return value(permitted.get(random.nextInt(permitted.size())));
    }
    if (type.isRecord()) {
      return drawn(type);
    }
    if (type.isInterface()) {
      // part of the decision, which is not made here
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (_, _, _) -> Optional.empty());
    }
    throw new IllegalStateException("no value of " + type.getName());
  }
}
