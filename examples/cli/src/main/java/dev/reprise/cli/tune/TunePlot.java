package dev.reprise.cli.tune;

import java.awt.Color;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Expected step time against the number of graphs, with the lists of other systems as points. */
final class TunePlot {

  private static final String HEADLESS = "java.awt.headless";

  private TunePlot() {}

  static void write(TuneReport report, Path file) {
    // Nothing is shown, and a machine without a display must do.
    System.setProperty(HEADLESS, "true");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      XYChart chart = chart(report);
      if (file.toString().toLowerCase(Locale.ROOT).endsWith(".svg")) {
        VectorGraphicsEncoder.saveVectorGraphic(
            chart, out, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
      } else {
        BitmapEncoder.saveBitmap(chart, out, BitmapEncoder.BitmapFormat.PNG);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the plot " + file + ": " + e, e);
    }
  }

  private static XYChart chart(TuneReport report) {
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(600)
            .title("Expected decode step, " + kind(report))
            .xAxisTitle("graphs")
            .yAxisTitle("microseconds a step")
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    List<TuneReport.Point> curve = report.curve();
    // The first point runs everything eagerly, and would press all others together.
    List<TuneReport.Point> shown = curve.size() > 2 ? curve.subList(1, curve.size()) : curve;
    XYSeries tuned =
        chart.addSeries(
            "tuned",
            shown.stream().mapToDouble(TuneReport.Point::graphs).toArray(),
            shown.stream().mapToDouble(TuneReport.Point::meanStepMicros).toArray());
    tuned.setMarker(SeriesMarkers.NONE);
    for (TuneReport.Comparison comparison : report.comparisons()) {
      XYSeries point =
          chart.addSeries(
              comparison.name(),
              new double[] {comparison.theirs().graphs()},
              new double[] {comparison.theirs().meanStepMicros()});
      point.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
    }
    return chart;
  }

  private static String kind(TuneReport report) {
    return (report.costs().facts().measured() ? "measured costs: " : "assumed costs: ")
        + report.costs().facts().model()
        + " on "
        + report.costs().facts().device();
  }
}
