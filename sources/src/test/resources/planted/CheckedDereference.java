package planted;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

@NullMarked
final class CheckedDereference {

  static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
