package dev.reprise.cli.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the word that was probably meant, by the number of letters to add, drop or change
 * (Levenshtein distance).
 */
public final class Nearest {
  private Nearest() {}

  /**
   * The nearest word, if at most two letters or a third of the longer word differ, or one begins
   * the other.
   */
  public static Optional<String> to(String typed, Collection<String> words) {
    return words.stream()
        .filter(word -> near(typed, word))
        .min(
            Comparator.comparing((String word) -> !begins(typed, word))
                .thenComparing(word -> distance(typed, word))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static boolean near(String typed, String word) {
    int longer = Math.max(typed.length(), word.length());
    int allowed = Math.max(2, longer / 3);
    return distance(typed, word) <= Math.min(allowed, longer - 1) || begins(typed, word);
  }

  private static boolean begins(String typed, String word) {
    return typed.length() >= 4 && (word.startsWith(typed) || typed.startsWith(word));
  }

  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
