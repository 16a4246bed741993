package dev.hapax.bootstrap.demo;

/** An order under an idempotency key; who sends it again sends the same key. */
record Request(Order order, String key) {

  /** The one for an order of this number. */
  static Request number(int number) {
    return new Request(new Order("order-" + number, 20), "key-" + number);
  }

  /** The same key with something else to do. */
  Request withEuros(int euros) {
    return new Request(new Order(order.id(), euros), key);
  }

  @Override
  public String toString() {
    return order + ", " + key;
  }
}
