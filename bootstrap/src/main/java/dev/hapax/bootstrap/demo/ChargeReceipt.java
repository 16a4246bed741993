package dev.hapax.bootstrap.demo;

/** The receipt of a charge, with a unique number. */
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
