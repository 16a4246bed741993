package dev.hapax.bootstrap.demo;

/** What the payment provider gives for a charge; the number is new for each. */
record ChargeReceipt(int number, int euros) {

  static ChargeReceipt parse(String text) {
    var words = text.split(" ", -1);
    return new ChargeReceipt(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
  }

  @Override
  public String toString() {
    return "receipt " + number + " " + euros + " EUR";
  }
}
