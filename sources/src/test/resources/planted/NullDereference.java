package planted;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

@NullMarked
final class NullDereference {

  static int length(@Nullable String text) {
    return text.length();
  }
}
