package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.AccessCheck;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AccessCheckTest {

  private final @Nullable String before = System.getProperty(AccessCheck.PROPERTY);

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(AccessCheck.PROPERTY);
    } else {
      System.setProperty(AccessCheck.PROPERTY, before);
    }
  }

  @ParameterizedTest
  @CsvSource({"off, false, false", "access, true, false", "access-refuse, true, true"})
  void thePropertySaysWhatIsChecked(String word, boolean enabled, boolean refusing) {
    System.setProperty(AccessCheck.PROPERTY, word);
    assertThat(AccessCheck.configured()).isEqualTo(new AccessCheck(enabled, refusing, false));
  }

  @Test
  void anotherWordIsRefused() {
    System.setProperty(AccessCheck.PROPERTY, "acces");
    assertThatThrownBy(AccessCheck::configured)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("reprise.check must be off, access or access-refuse, not 'acces'.");
  }
}
