package dev.reprise.cli;

import java.util.List;
import java.util.Optional;

/** Reports with numbers that tests can tell apart. */
final class Reports {
  private Reports() {}

  static GenerateReport story(GenerateReport.Finish finish) {
    return new GenerateReport(
        "Test Device",
        "CUDA driver: software GPU",
        true,
        new GenerateReport.Model("Tiny Stories", 1_115_520),
        42,
        new GenerateReport.Output(6, List.of(13, 400, 284), ", there was", finish),
        new GenerateReport.Timing(12.5, 0.01, 0.5, 0.1, 20),
        new GenerateReport.Graphs(2, 3.25, 1.5, 12.0, 1_310_720, 1, 4, 16),
        Optional.of(new GenerateReport.Variants(9, 4, 5, 3, "")),
        327_680);
  }

  static GenerateReport nothingMeasured() {
    return new GenerateReport(
        "Test Device",
        "CUDA driver: libcuda.so.1",
        false,
        new GenerateReport.Model("Tiny Stories", 999),
        0,
        new GenerateReport.Output(0, List.of(), "", GenerateReport.Finish.STOP),
        new GenerateReport.Timing(0, 0, 0, 0, 0),
        new GenerateReport.Graphs(0, 0, 0, 0, 0, 0, 0, 0),
        Optional.empty(),
        512);
  }
}
