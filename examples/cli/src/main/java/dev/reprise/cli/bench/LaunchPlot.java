package dev.reprise.cli.bench;

import dev.reprise.cli.measure.LaunchCosts;
import dev.reprise.cli.measure.LineFit;
import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.measure.Summary;
import dev.reprise.cli.plot.PlotFile;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Time of chains against their nodes: medians with their intervals, and the fitted lines. */
final class LaunchPlot {

  private LaunchPlot() {}

  static void write(LaunchCosts costs, MachineFacts machine, Path file) {
    XYChart chart =
        PlotFile.chart(
            "Launches of empty kernels on " + machine.device(), "nodes", "microseconds until done");
    add(chart, costs, "eager done", LaunchCosts.Chain::eagerDone);
    add(chart, costs, "graph done", LaunchCosts.Chain::graphDone);
    PlotFile.write(chart, file);
  }

  private static void add(
      XYChart chart, LaunchCosts costs, String name, Function<LaunchCosts.Chain, Summary> time) {
    double[] nodes = costs.chains().stream().mapToDouble(LaunchCosts.Chain::nodes).toArray();
    double[] medians =
        costs.chains().stream().mapToDouble(chain -> time.apply(chain).median()).toArray();
    double[] halves =
        costs.chains().stream()
            .map(time)
            .mapToDouble(sample -> (sample.high() - sample.low()) / 2)
            .toArray();
    chart
        .addSeries(name, nodes, medians, halves)
        .setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
    LineFit line = Objects.requireNonNull(costs.lines().get(name));
    double[] fitted = new double[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      fitted[i] = line.intercept() + line.slope() * nodes[i];
    }
    chart.addSeries(name + ", line", nodes, fitted).setMarker(SeriesMarkers.NONE);
  }
}
