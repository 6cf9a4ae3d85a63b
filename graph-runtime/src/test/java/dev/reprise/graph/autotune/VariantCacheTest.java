package dev.reprise.graph.autotune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.autotune.AutotuneReport.Outcome;
import dev.reprise.graph.autotune.AutotuneReport.Source;
import dev.reprise.kernels.contract.ElementType;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file of choices: used, added to, and left alone when something is wrong with it. */
class VariantCacheTest {

  private static final TuningEnvironment HERE =
      new TuningEnvironment("a device", "CUDA 13000", "a digest");
  private static final TunableShape A = FakeBench.shape(512);
  private static final TunableShape B = FakeBench.shape(1024);
  private static final KernelVariant SECOND = new KernelVariant.Attention(2);

  @TempDir private Path folder;

  private final FakeBench bench =
      new FakeBench().with(A, new double[] {100, 50}).with(B, new double[] {100, 70});

  private AutotuneReport run(TuningEnvironment environment, TunableShape... shapes) {
    bench.opened.clear();
    return new Autotuner(
            environment,
            AutotuneOptions.cachedIn(folder.resolve("kept")).withRounds(1),
            bench::variants,
            bench,
            () -> 0)
        .run(List.of(shapes));
  }

  private Path file() {
    return folder.resolve("kept").resolve(HERE.fileName());
  }

  @Test
  void whatWasMeasuredIsKeptAndUsedWithoutMeasuring() {
    AutotuneReport first = run(HERE, A);
    assertThat(first.cache()).isEqualTo(CacheState.ABSENT);
    assertThat(first.file()).contains(file()).hasValueSatisfying(f -> assertThat(f).exists());
    AutotuneReport second = run(HERE, A);
    assertThat(second.cache()).isEqualTo(CacheState.USED);
    assertThat(bench.opened).isEmpty();
    Outcome kept = second.outcomes().getFirst();
    assertThat(kept.source()).isEqualTo(Source.KEPT);
    assertThat(kept.variant()).isEqualTo(SECOND);
    assertThat(kept.standardMicros()).isEqualTo(100);
    assertThat(kept.micros()).isEqualTo(50);
  }

  @Test
  void aNewShapeIsMeasuredAndAddedToTheRest() throws IOException {
    run(HERE, A);
    AutotuneReport both = run(HERE, A, B);
    assertThat(bench.opened).containsExactly(B);
    assertThat(both.outcomes())
        .extracting(Outcome::source)
        .containsExactly(Source.KEPT, Source.MEASURED);
    run(HERE, A, B);
    assertThat(bench.opened).isEmpty();
    try (Stream<Path> files = Files.list(folder.resolve("kept"))) {
      assertThat(files).as("no fragments").containsExactly(file());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "another device,CUDA 13000,a digest",
    "a device,CUDA 12040,a digest",
    "a device,CUDA 13000,another digest"
  })
  void anotherDeviceDriverOrDigestHasAFileOfItsOwn(String device, String driver, String kernels) {
    run(HERE, A);
    AutotuneReport elsewhere = run(new TuningEnvironment(device, driver, kernels), A);
    assertThat(elsewhere.cache()).isEqualTo(CacheState.ABSENT);
    assertThat(bench.opened).containsExactly(A);
    assertThat(elsewhere.file()).isNotEqualTo(Optional.of(file()));
    assertThat(run(HERE, A).count(Source.KEPT)).isEqualTo(1);
  }

  @Test
  void everyPartOfAShapeIsAPartOfItsKey() {
    TunableShape.Attention base = new TunableShape.Attention(2, 4, 2, 32, 16, 512);
    List<TunableShape> all =
        List.of(
            base,
            new TunableShape.Attention(3, 4, 2, 32, 16, 512),
            new TunableShape.Attention(2, 8, 2, 32, 16, 512),
            new TunableShape.Attention(2, 4, 4, 32, 16, 512),
            new TunableShape.Attention(2, 4, 2, 64, 16, 512),
            new TunableShape.Attention(2, 4, 2, 32, 32, 512),
            new TunableShape.Attention(2, 4, 2, 32, 16, 513),
            new TunableShape.Product(ElementType.F32, 1, 8, 16),
            new TunableShape.Product(ElementType.F16, 1, 8, 16),
            new TunableShape.Product(ElementType.F32, 2, 8, 16),
            new TunableShape.Product(ElementType.F32, 1, 16, 16),
            new TunableShape.Product(ElementType.F32, 1, 8, 8),
            new TunableShape.Gate(1, 8),
            new TunableShape.Gate(2, 8),
            new TunableShape.Gate(1, 16));
    assertThat(all).extracting(CachedChoice.Key::of).doesNotHaveDuplicates();
    CachedChoice.Key key = CachedChoice.Key.of(base);
    assertThat(key.strides()).isEqualTo("block=1024 head=512 position=32");
    assertThat(key.mask()).isEqualTo("causal by position");
    assertThat(key.dtype()).isEqualTo("F32");
  }

  @Test
  void aFileFromElsewhereIsIgnoredLoudlyAndKept() throws IOException {
    TuningEnvironment elsewhere = new TuningEnvironment("another device", "CUDA 13000", "a digest");
    run(elsewhere, A);
    // Copied under the name that this device's file has.
    Files.move(folder.resolve("kept").resolve(elsewhere.fileName()), file());
    byte[] before = Files.readAllBytes(file());
    AutotuneReport report = run(HERE, A);
    assertThat(report.cache()).isEqualTo(CacheState.FOREIGN);
    assertThat(report.problem()).contains(file().toString(), "another device", "a device");
    assertThat(report.outcomes().getFirst().source()).isEqualTo(Source.MEASURED);
    assertThat(Files.readAllBytes(file())).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "splits=2 | splits=77 | is no variant of attention",
        "splits=2 | warps=4 | is no variant of attention",
        "reprise-kernel-variants | reprise-costs | format is \"reprise-costs\"",
        "\"version\" : 1 | \"version\" : 2 | version is 2",
        "\"us\" : 50.0 | \"us\" : -1 | us is -1",
        "\"us\" : 50.0 | \"ms\" : 50.0 | unknown field",
        "} ] | `` | this is not JSON",
        "{ | `` | ``",
      })
  void aCorruptFileIsIgnoredLoudlyAndKept(String from, String to, String problem)
      throws IOException {
    run(HERE, A);
    String good = Files.readString(file());
    assertThat(good).contains(from);
    String bad = good.replace(from, to);
    Files.writeString(file(), bad);
    AutotuneReport report = run(HERE, A, B);
    assertThat(report.cache()).isEqualTo(CacheState.CORRUPT);
    assertThat(report.problem()).contains(file().toString(), problem);
    assertThat(report.outcomes())
        .extracting(Outcome::source)
        .as("nothing of it is used")
        .containsExactly(Source.MEASURED, Source.MEASURED);
    assertThat(Files.readString(file())).isEqualTo(bad);
  }

  @Test
  void somethingThatIsNoFileIsIgnoredAndKept() throws IOException {
    Files.createDirectories(file());
    AutotuneReport report = run(HERE, A);
    assertThat(report.cache()).isEqualTo(CacheState.CORRUPT);
    assertThat(file()).isDirectory();
  }

  @Test
  void aFolderThatCannotBeWrittenIsReportedAndTheChoicesHold() throws IOException {
    Files.writeString(folder.resolve("kept"), "in the way");
    AutotuneReport report = run(HERE, A);
    assertThat(report.problem()).contains("cannot be written");
    assertThat(report.outcomes().getFirst().variant()).isEqualTo(SECOND);
    assertThat(Files.readString(folder.resolve("kept"))).isEqualTo("in the way");
  }
}
