package dev.reprise.cli.tune;

import dev.reprise.cli.plot.PlotFile;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Expected step time against the number of graphs, with the lists of other systems as points. */
final class TunePlot {

  private TunePlot() {}

  static void write(TuneReport report, Path file) {
    PlotFile.write(chart(report), file);
  }

  private static XYChart chart(TuneReport report) {
    XYChart chart =
        PlotFile.chart("Expected decode step, " + kind(report), "graphs", "microseconds a step");
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
