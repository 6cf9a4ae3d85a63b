package dev.reprise.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which part may use which other part. Everything that is not allowed is forbidden. */
final class Arrows {

  /** For each part, by the last word of its root package, the parts that it may use. */
  private static final Map<String, List<String>> MAY_USE = new LinkedHashMap<>();

  static {
    MAY_USE.put("bindings", List.of());
    MAY_USE.put("softgpu", List.of("bindings"));
    MAY_USE.put("cuda", List.of("bindings"));
    MAY_USE.put("kernels", List.of("cuda"));
    MAY_USE.put("graph", List.of("cuda", "kernels"));
    MAY_USE.put("llama", List.of("cuda", "kernels", "graph"));
    MAY_USE.put("cli", List.of("bindings", "softgpu", "cuda", "kernels", "graph", "llama"));
  }

  private Arrows() {}

  /** The rules for the parts below a root package. */
  static List<ArchRule> rules(String root) {
    List<ArchRule> rules = new ArrayList<>();
    MAY_USE.forEach((part, allowed) -> {
      String[] forbidden =
          MAY_USE.keySet().stream()
              .filter(other -> !other.equals(part) && !allowed.contains(other))
              .map(other -> root + "." + other + "..")
              .toArray(String[]::new);
      rules.add(
          noClasses()
              .that()
              .resideInAPackage(root + "." + part + "..")
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(forbidden)
              .as(part + " uses nothing but " + allowed)
              .allowEmptyShould(true));
    });
    return rules;
  }

  /**
   * The libraries use only the JDK and SLF4J; the graph runtime reads and writes JSON with Jackson.
   */
  static List<ArchRule> libraries(String root) {
    return List.of(
        library(root, List.of("bindings", "softgpu", "cuda", "kernels"), List.of()),
        library(root, List.of("graph"), List.of("tools.jackson..")));
  }

  private static ArchRule library(String root, List<String> parts, List<String> more) {
    List<String> allowed =
        new ArrayList<>(List.of("java..", "jdk..", "org.slf4j..", "org.jspecify..", root + ".."));
    allowed.addAll(more);
    return noClasses()
        .that()
        .resideInAnyPackage(
            parts.stream().map(part -> root + "." + part + "..").toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(allowed.toArray(String[]::new))
        .as(
            "%s depend on nothing but the JDK, SLF4J%s"
                .formatted(parts, more.isEmpty() ? "" : " and " + more))
        .allowEmptyShould(true);
  }

  static List<String> parts() {
    return List.copyOf(MAY_USE.keySet());
  }
}
