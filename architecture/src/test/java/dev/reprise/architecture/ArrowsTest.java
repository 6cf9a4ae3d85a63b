package dev.reprise.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

class ArrowsTest {

  private static final String ROOT = "dev.reprise";
  private static final String PLANTED = "dev.reprise.architecture.planted";

  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void everyPartIsSeen() {
    for (String part : Arrows.parts()) {
      assertThat(PRODUCT.stream())
          .as("classes of %s", part)
          .anyMatch(c -> c.getPackageName().startsWith(ROOT + "." + part));
    }
  }

  @Test
  void arrowsBetweenPartsPointOneWay() {
    for (ArchRule rule : Arrows.rules(ROOT)) {
      rule.check(PRODUCT);
    }
  }

  @Test
  void librariesDependOnTheJdkAndSlf4jAndTheGraphRuntimeOnJacksonToo() {
    Arrows.libraries(ROOT).forEach(rule -> rule.check(PRODUCT));
  }

  @Test
  void aPlantedArrowAgainstTheDirectionIsCaught() {
    JavaClasses planted = new ClassFileImporter().importPackages(PLANTED);
    assertThatThrownBy(() -> Arrows.rules(PLANTED).forEach(rule -> rule.check(planted)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("cuda uses nothing but [bindings]")
        .hasMessageContaining("RuntimeThatKnowsGraphs");
  }

  @Test
  void aPlantedLibraryIsCaught() {
    assertThatThrownBy(() -> checkLibrariesOfThePlanted("graph"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[graph] depend on nothing but")
        .hasMessageContaining("GraphThatUsesALibrary")
        .hasMessageNotContaining("GraphThatUsesJackson");
  }

  @Test
  void jacksonOutsideTheGraphRuntimeIsCaught() {
    assertThatThrownBy(() -> checkLibrariesOfThePlanted("cuda"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("RuntimeThatUsesJackson");
  }

  private static void checkLibrariesOfThePlanted(String part) {
    JavaClasses planted = new ClassFileImporter().importPackages(PLANTED + "." + part);
    Arrows.libraries(PLANTED).forEach(rule -> rule.check(planted));
  }
}
