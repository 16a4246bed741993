package dev.hapax.bootstrap.demo;

/** An order with its idempotency key; a retry has the same key. */
record OrderRequest(Order order, String key) {

  /** Returns the request for the order with this number. */
  static OrderRequest number(int number) {
    return new OrderRequest(new Order("order-" + number, 20), "key-" + number);
  }

  /** Returns a request with the same key and another amount. */
  OrderRequest withEuros(int euros) {
    return new OrderRequest(new Order(order.id(), euros), key);
  }

  @Override
  public String toString() {
    return order + ", " + key;
  }
}
