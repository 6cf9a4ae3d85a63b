package dev.reprise.cli.plot;

import java.awt.Color;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** A chart as a picture in a file. */
public final class PlotFile {

  private static final String HEADLESS = "java.awt.headless";

  private PlotFile() {}

  /** An empty chart in the style of all plots. */
  public static XYChart chart(String title, String x, String y) {
    // Nothing is shown, and a machine without a display must do.
    System.setProperty(HEADLESS, "true");
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(600)
            .title(title)
            .xAxisTitle(x)
            .yAxisTitle(y)
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    return chart;
  }

  /** Whether the name of a file says a kind of picture that can be written. */
  public static boolean accepts(Path file) {
    return file.toString().toLowerCase(Locale.ROOT).matches(".*\\.(svg|png)");
  }

  /**
   * Writes a chart.
   *
   * @param file ends in .svg or .png
   * @throws UncheckedIOException if the file cannot be written
   */
  public static void write(XYChart chart, Path file) {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
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
}
