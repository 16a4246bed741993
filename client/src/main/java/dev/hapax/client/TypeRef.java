package dev.hapax.client;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A type with its arguments: {@code new TypeRef<List<Order>>() {}}.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {

  private final Type type;

  /** Reads the type from the class that extends this one. */
  protected TypeRef() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType captured)) {
      throw new IllegalArgumentException("write new TypeRef<List<Order>>() {}, with the type");
    }
    this.type = captured.getActualTypeArguments()[0];
  }

  /** The type. */
  public final Type type() {
    return type;
  }
}
