package dev.hapax.bootstrap.demo;

/** An order of a customer. */
record Order(String id, int euros) {

  static Order parse(String text) {
    var words = text.split(" ", -1);
    return new Order(words[0], Integer.parseInt(words[1]));
  }

  @Override
  public String toString() {
    return id + " " + euros + " EUR";
  }
}
