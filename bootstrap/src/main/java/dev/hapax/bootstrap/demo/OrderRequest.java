package dev.hapax.bootstrap.demo;

/** An order under an idempotency key; who sends it again sends the same key. */
record OrderRequest(Order order, String key) {

  /** The one for an order of this number. */
  static OrderRequest number(int number) {
    return new OrderRequest(new Order("order-" + number, 20), "key-" + number);
  }

  /** The same key with something else to do. */
  OrderRequest withEuros(int euros) {
    return new OrderRequest(new Order(order.id(), euros), key);
  }

  @Override
  public String toString() {
    return order + ", " + key;
  }
}
