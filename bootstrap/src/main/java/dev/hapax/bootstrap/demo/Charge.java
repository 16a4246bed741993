package dev.hapax.bootstrap.demo;

/**
 * A request to the payment provider.
 *
 * @param fence fence of the claim
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
