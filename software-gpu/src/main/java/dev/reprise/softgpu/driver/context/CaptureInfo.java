package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a query of the capture of a stream tells.
 *
 * @param id of the capture; 0 when there is none
 * @param graph that is being written; null when there is no capture
 * @param nodes what the next captured node depends on
 */
public record CaptureInfo(CaptureStatus status, long id, @Nullable Graph graph, List<Node> nodes) {}
