package dev.hapax.bootstrap.demo;

/**
 * What the order service asks of the payment provider.
 *
 * @param fence of the claim it works under
 */
record Charge(Order order, long fence, String service) {

  static Charge parse(String text) {
    var words = text.split(" by ", -1);
    return new Charge(Order.parse(words[0]), Long.parseLong(words[2]), words[1]);
  }

  @Override
  public String toString() {
    return order + " by " + service + " by " + fence;
  }
}
