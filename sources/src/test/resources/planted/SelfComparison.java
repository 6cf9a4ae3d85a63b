package planted;

import org.jspecify.annotations.NullMarked;

@NullMarked
final class SelfComparison {

  static int compare(Integer a) {
    return a.compareTo(a);
  }
}
