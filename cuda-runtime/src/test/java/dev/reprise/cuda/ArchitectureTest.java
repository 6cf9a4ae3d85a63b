package dev.reprise.cuda;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.reprise.cuda", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

  private ArchitectureTest() {}

  @ArchTest
  static final ArchRule packagesDependOneWay =
      slices().matching("dev.reprise.cuda.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule ownershipMakesNoDriverCall =
      noClasses()
          .that()
          .resideInAPackage("dev.reprise.cuda.ownership")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.reprise.bindings..", "dev.reprise.cuda");

  @ArchTest
  static final ArchRule driverCallsAreCheckedInOnePlace =
      classes()
          .that()
          .resideInAPackage("dev.reprise.cuda")
          .and()
          .haveSimpleNameNotEndingWith("Calls")
          .and()
          .haveSimpleNameNotEndingWith("Attribute")
          .and()
          .doNotHaveSimpleName("Failures")
          .and()
          .doNotHaveSimpleName("OfDriver")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackage("dev.reprise.bindings.cuda");

  @ArchTest
  static final ArchRule theRuntimeDoesNotKnowTheSoftwareGpu =
      noClasses().should().dependOnClassesThat().resideInAPackage("dev.reprise.softgpu..");

  @ArchTest
  static final ArchRule nothingIsWrittenToStandardOutput =
      noClasses()
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err");
}
